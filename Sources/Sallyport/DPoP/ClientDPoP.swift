import SallyportProtocol
import SallyportRemote

/// A client's side of DPoP: when it is used, where keys come from, and what the servers last asked for.
struct ClientDPoP: Sendable {
  let policy: DPoPPolicy
  let keys: any DPoPKeySource
  let nonces = DPoPNonces()

  /// A new key for a sign-in; nil where the server offers no DPoP with `ES256`, or the app wants none.
  func makeKey(for metadata: ProviderMetadata) throws -> (any DPoPKey)? {
    let isOffered = metadata.document.dpopSigningAlgValuesSupported?.contains(DPoPAlgorithm.es256.rawValue) ?? false
    switch (self.policy, isOffered) {
    case (.never, _), (.whenOffered, false): return nil
    case (.required, false): throw SignInError.dpopNotOffered
    case (.whenOffered, true), (.required, true): return try self.keys.makeKey()
    }
  }

  func restoreKey(_ stored: Secret<[UInt8]>?) throws(DPoPKeyError) -> (any DPoPKey)? {
    guard let stored else { return nil }
    return try self.keys.restoreKey(stored)
  }
}

/// Which key a request of the back channel is proven with, and what its answer may be.
package struct DPoPBinding: Sendable {
  package let key: any DPoPKey
  /// Whether a `Bearer` token is thrown away, RFC 9449 §5.
  package let isRequired: Bool

  package init(key: any DPoPKey, isRequired: Bool) {
    self.key = key
    self.isRequired = isRequired
  }
}
