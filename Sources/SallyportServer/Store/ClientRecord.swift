public import SallyportProtocol

/// A registered client, RFC 6749 §2 with the distinctions of RFC 8252 §8.4.
public struct ClientRecord: Sendable, Equatable {
  /// RFC 6749 §2.1.
  public enum ClientType: String, Sendable { case `public`, confidential }
  /// OpenID Connect Registration §2.
  public enum ApplicationType: String, Sendable { case native, web }
  /// Who vouches for the registration: an operator, or nobody but the client itself, by registering (RFC 7591) or by the document
  /// at the URL that is its identifier.
  public enum Origin: String, Sendable { case `operator`, dynamic, document }

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
  /// How the client proves who it is. A public client does not.
  public var authenticationMethod: ClientAuthenticationMethod
  /// SHA-256 of the secret. For a native client it proves nothing (RFC 8252 §8.5): the client stays public.
  public var secretFingerprint: Fingerprint?
  public var keys: ClientKeys?
  public var grantTypes: [GrantType]
  /// The operator's own app: its consent is one short click.
  public var isFirstParty: Bool
  /// SHA-256 of the token with which a self-registered client manages its registration, RFC 7592 §3.
  public var registrationToken: Fingerprint?
  public var details: ClientDetails {
    get { self.more.details }
    set { self.more = .details(newValue) }
  }
  public var createdAt: Timestamp

  /// Kept beside the record, which is handed on with every request and whose details few requests look at.
  private indirect enum More: Sendable, Equatable {
    case details(ClientDetails)

    var details: ClientDetails {
      switch self {
      case .details(let details): details
      }
    }
  }

  private var more: More

  /// - Parameter authenticationMethod: nil for `none` with a public client, and `client_secret_basic` with a confidential one.
  public init(
    id: ClientID, name: String, type: ClientType, applicationType: ApplicationType, origin: Origin = .operator,
    redirectURIs: [RedirectURI], scope: Scope, signingAlgorithm: String = "ES256",
    authenticationMethod: ClientAuthenticationMethod? = nil, secretFingerprint: Fingerprint? = nil, keys: ClientKeys? = nil,
    grantTypes: [GrantType] = [.authorizationCode, .refreshToken], isFirstParty: Bool = false,
    registrationToken: Fingerprint? = nil, details: ClientDetails = ClientDetails(), createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.applicationType = applicationType
    self.origin = origin
    self.redirectURIs = redirectURIs
    self.scope = scope
    self.signingAlgorithm = signingAlgorithm
    self.authenticationMethod = authenticationMethod ?? (type == .confidential ? .clientSecretBasic : .none)
    self.secretFingerprint = secretFingerprint
    self.keys = keys
    self.grantTypes = grantTypes
    self.isFirstParty = isFirstParty
    self.registrationToken = registrationToken
    self.more = .details(details)
    self.createdAt = createdAt
  }
}
