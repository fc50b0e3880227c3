public import SallyportProtocol

/// Records which DPoP proofs have been used (RFC 9449 §11.1).
///
/// ``MemoryReplayStore`` does this for one process. If an API runs in several processes, use a store that they share.
public protocol DPoPReplayStore: Sendable {
  /// Records a proof as used.
  /// - Parameters:
  ///   - mark: The hash of the proof's key and identifier, 32 bytes.
  ///   - expiration: The time until which the proof must be remembered.
  /// - Returns: `false` if the proof was already recorded.
  /// - Throws: An error if the proof cannot be recorded. The request is then rejected.
  func use(_ mark: [UInt8], until expiration: Timestamp) async throws -> Bool
}
