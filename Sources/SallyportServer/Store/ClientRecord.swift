public import SallyportProtocol

/// A registered client, RFC 6749 §2 with the distinctions of RFC 8252 §8.4.
public struct ClientRecord: Sendable, Equatable {
  /// RFC 6749 §2.1.
  public enum ClientType: String, Sendable { case `public`, confidential }
  /// OpenID Connect Registration §2.
  public enum ApplicationType: String, Sendable { case native, web }
  /// Who vouches for the registration.
  public enum Origin: String, Sendable { case `operator`, dynamic }

  public var id: ClientID
  public var name: String
  public var type: ClientType
  public var applicationType: ApplicationType
  public var origin: Origin
  public var redirectURIs: [RedirectURI]
  /// The most that the client may ask for.
  public var scope: Scope
  /// `id_token_signed_response_alg`: `ES256` or `RS256`.
  public var signingAlgorithm: String
  /// SHA-256 of the secret. For a native client it proves nothing (RFC 8252 §8.5): the client stays public.
  public var secretFingerprint: Fingerprint?
  public var createdAt: Timestamp

  public init(
    id: ClientID, name: String, type: ClientType, applicationType: ApplicationType, origin: Origin = .operator,
    redirectURIs: [RedirectURI], scope: Scope, signingAlgorithm: String = "ES256", secretFingerprint: Fingerprint? = nil,
    createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.applicationType = applicationType
    self.origin = origin
    self.redirectURIs = redirectURIs
    self.scope = scope
    self.signingAlgorithm = signingAlgorithm
    self.secretFingerprint = secretFingerprint
    self.createdAt = createdAt
  }
}
