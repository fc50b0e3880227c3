public import SallyportProtocol

/// An authorization request that its client pushed, RFC 9126: its parameters sealed under the server's key.
public struct PushedRequestRecord: Sendable, Equatable {
  /// Of the `request_uri`.
  public var fingerprint: Fingerprint
  public var client: ClientID
  public var sealedParameters: [UInt8]
  public var expiresAt: Timestamp

  public init(fingerprint: Fingerprint, client: ClientID, sealedParameters: [UInt8], expiresAt: Timestamp) {
    self.fingerprint = fingerprint
    self.client = client
    self.sealedParameters = sealedParameters
    self.expiresAt = expiresAt
  }
}
