public import SallyportProtocol

/// A registered client (RFC 6749 §2, RFC 8252 §8.4).
public struct ClientRecord: Sendable, Equatable {
  /// The client type (RFC 6749 §2.1).
  public enum ClientType: String, Sendable { case `public`, confidential }
  /// The kind of application (OpenID Connect Registration §2).
  public enum ApplicationType: String, Sendable { case native, web }
  /// How the client was registered: by an operator, by itself (RFC 7591), or by the metadata document at the URL that
  /// is its client ID.
  public enum Origin: String, Sendable { case `operator`, dynamic, document }

  public var id: ClientID
  public var name: String
  public var type: ClientType
  public var applicationType: ApplicationType
  public var origin: Origin
  public var redirectURIs: [RedirectURI]
  /// The maximum scope that the client can request.
  public var scope: Scope
  /// The algorithm with which the server signs the client's ID tokens (`id_token_signed_response_alg`): `ES256` or
  /// `RS256`.
  public var signingAlgorithm: String
  /// How the client authenticates. A public client does not.
  public var authenticationMethod: ClientAuthenticationMethod
  /// The SHA-256 of the secret. A secret alone does not make a native client confidential (see `isConfidential`).
  public var secretFingerprint: Fingerprint?
  public var keys: ClientKeys?
  public var grantTypes: [GrantType]
  /// Whether the client is the operator's own app, for which the consent page is shorter.
  public var isFirstParty: Bool
  /// The SHA-256 of the registration access token of a dynamic client (RFC 7592 §3).
  public var registrationToken: Fingerprint?
  public var details: ClientDetails {
    get { self.detailsBox.details }
    set { self.detailsBox = .details(newValue) }
  }
  public var createdAt: Timestamp

  // Stored indirectly, because the record is copied with every request, and few requests use the details.
  private indirect enum DetailsBox: Sendable, Equatable {
    case details(ClientDetails)

    var details: ClientDetails {
      switch self {
      case .details(let details): details
      }
    }
  }

  private var detailsBox: DetailsBox

  /// - Parameter authenticationMethod: Nil for the default, which is `none` for a public client and
  ///   `client_secret_basic` for a confidential one.
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
    self.detailsBox = .details(details)
    self.createdAt = createdAt
  }
}
