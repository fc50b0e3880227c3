public import SallyportProtocol

/// An upstream: another OpenID provider through which users can sign in (RFC 8252 §4.1).
public struct UpstreamRecord: Sendable, Equatable {
  /// The identifier, which is part of the redirect URI: lowercase ASCII letters, digits, and inner hyphens.
  public var id: String
  /// The name that users see.
  public var name: String
  /// The issuer identifier of the provider.
  public var issuer: String
  /// The client ID of this server at the provider.
  public var clientID: String
  /// The client secret, encrypted with a key derived from the master key; nil for a public client.
  public var sealedSecret: [UInt8]?
  public var details: UpstreamDetails
  public var createdAt: Timestamp
  /// When an operator disabled the upstream; nil if users can sign in through it.
  public var disabledAt: Timestamp?

  public init(
    id: String, name: String, issuer: String, clientID: String, sealedSecret: [UInt8]? = nil,
    details: UpstreamDetails = UpstreamDetails(), createdAt: Timestamp, disabledAt: Timestamp? = nil
  ) {
    self.id = id
    self.name = name
    self.issuer = issuer
    self.clientID = clientID
    self.sealedSecret = sealedSecret
    self.details = details
    self.createdAt = createdAt
    self.disabledAt = disabledAt
  }
}
