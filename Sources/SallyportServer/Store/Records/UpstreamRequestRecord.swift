public import SallyportProtocol

/// An authorization request that was sent to an upstream and waits for the response.
public struct UpstreamRequestRecord: Sendable, Equatable {
  /// The fingerprint of the `state`.
  public var fingerprint: Fingerprint
  /// The nonce, the code verifier, and the purpose of the sign-in, such as the app's request that continues afterward.
  /// Encrypted with a key derived from the master key.
  public var sealedContent: [UInt8]
  public var expiresAt: Timestamp

  public init(fingerprint: Fingerprint, sealedContent: [UInt8], expiresAt: Timestamp) {
    self.fingerprint = fingerprint
    self.sealedContent = sealedContent
    self.expiresAt = expiresAt
  }
}
