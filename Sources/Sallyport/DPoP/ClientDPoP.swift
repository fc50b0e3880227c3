import SallyportProtocol
import SallyportRemote

/// A client's DPoP state: the policy, the key source, and the latest nonces.
struct ClientDPoP: Sendable {
  let policy: DPoPPolicy
  let keys: any DPoPKeySource
  let nonces = DPoPNonces()

  /// Creates a key for a sign-in.
  /// - Returns: `nil` if the policy is `never`, or if it is `preferred` and the server doesn't offer DPoP with `ES256`.
  /// - Throws: ``DPoPNotOffered`` if the policy is `required` and the server doesn't offer DPoP with `ES256`, or the
  ///   error of the key source.
  func makeKey(for metadata: ProviderMetadata) throws -> (any DPoPKey)? {
    let isOffered = metadata.document.dpopSigningAlgValuesSupported?.contains(DPoPAlgorithm.es256.rawValue) ?? false
    switch (self.policy, isOffered) {
    case (.never, _), (.preferred, false): return nil
    case (.required, false): throw DPoPNotOffered()
    case (.preferred, true), (.required, true): return try self.keys.makeKey()
    }
  }

  func restoreKey(_ stored: Secret<[UInt8]>?) throws(DPoPKeyError) -> (any DPoPKey)? {
    guard let stored else { return nil }
    return try self.keys.restoreKey(stored)
  }
}

/// The app requires DPoP, but the server's metadata doesn't offer DPoP with `ES256` (RFC 9449 §5.1).
struct DPoPNotOffered: Error {}
