public import SallyportProtocol

/// A pushed authorization request (RFC 9126). Its parameters are sealed.
public struct PushedRequestRecord: Sendable, Equatable {
  /// The fingerprint of the `request_uri`.
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
