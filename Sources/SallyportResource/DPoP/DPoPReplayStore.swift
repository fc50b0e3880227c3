public import SallyportProtocol

/// Remembers which DPoP proofs were used, RFC 9449 §11.1.
///
/// ``MemoryReplayStore`` does it for one process. An API that runs as several wants a store that all of them share.
public protocol DPoPReplayStore: Sendable {
  /// Takes a proof down as used.
  /// - Parameters:
  ///   - mark: the hash of the proof's key and identifier, 32 bytes.
  ///   - expiration: until when it has to be remembered.
  /// - Returns: false where it is there already.
  /// - Throws: where it cannot be taken down; then the request is refused.
  func use(_ mark: [UInt8], until expiration: Timestamp) async throws -> Bool
}
