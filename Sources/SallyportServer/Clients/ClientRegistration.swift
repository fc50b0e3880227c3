public import SallyportProtocol

/// What an operator says about a client to be added. ``register(at:)`` turns it into a record or says what makes no sense.
public struct ClientRegistration: Sendable {
  /// `native` is public unless it is a single installation with a secret or key of its own; `web` is confidential unless its authentication
  /// method is `none` (RFC 8252 §8.4); `service` is confidential and acts for itself (RFC 6749 §4.4).
  public enum Kind: String, Sendable, CaseIterable { case native, web, service }

  public var id: String?
  public var name: String
  public var kind: Kind
  public var redirectURIs: [String]
  public var scope: String
  public var signingAlgorithm: String
  /// How the client authenticates; nil for the default of its kind. A `native` client that authenticates is a single installation.
  public var authenticationMethod: ClientAuthenticationMethod?
  /// The operator's own secret; nil has one made where the method needs one.
  public var secret: Secret<String>?
  public var keys: ClientKeys?
  /// Beside the code flow: `native` clients may be used on devices without a browser, `web` ones also for themselves.
  public var additionalGrantTypes: [GrantType] = []
  public var postLogoutRedirectURIs: [String] = []
  /// What the client may ask tokens for; empty for any.
  public var resources: [String] = []
  /// The APIs that the client itself is.
  public var audiences: [String] = []
  public var isFirstParty = false
  /// Whether a confidential client must use PKCE too (RFC 9700 §2.1.1).
  public var requiresPKCE = false
  /// The private-use schemes without a period that redirect URIs may have.
  public var schemes: Set<String> = []
  /// Whatever else RFC 7591 §2 has: pages about the app, contacts, back-channel logout, what its requests must be like. What has a place
  /// of its own here is not read from it.
  public var metadata = ClientMetadata()

  public init(
    id: String? = nil, name: String, kind: Kind, redirectURIs: [String],
    scope: String = "openid profile email offline_access", signingAlgorithm: String = "ES256"
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.redirectURIs = redirectURIs
    self.scope = scope
    self.signingAlgorithm = signingAlgorithm
  }

  /// Makes the record of a registration that breaks no rule.
  /// - Returns: the record to store, and the secret of a confidential client, which is shown once. A native client gets none by default:
  ///   what every installation shares is no secret (RFC 8252 §8.5, rule S-34).
  /// - Throws: ``ClientRegistrationError``, the first of ``problems()``.
  public func register(at now: Timestamp) throws(ClientRegistrationError) -> (record: ClientRecord, secret: Secret<String>?) {
    if let problem = self.problems().first { throw problem }
    let (record, secret) = try self.record(at: now)
    return (record, self.secret == nil ? secret : nil)
  }

  /// The record and its secret, made here or given.
  func record(at now: Timestamp) throws(ClientRegistrationError) -> (record: ClientRecord, secret: Secret<String>?) {
    let (method, secret) = try self.checkedAuthentication()
    let record = ClientRecord(
      id: ClientID(rawValue: self.id ?? "client-" + RandomText.base64URL(bits: 96)), name: self.name,
      type: method == .none ? .public : .confidential, applicationType: self.kind == .native ? .native : .web,
      redirectURIs: try self.checkedRedirectURIs(), scope: try self.checkedScope(), signingAlgorithm: self.signingAlgorithm,
      authenticationMethod: method, secretFingerprint: secret.map(Fingerprint.init(of:)), keys: self.keys,
      grantTypes: self.grantTypes, isFirstParty: self.isFirstParty, details: try self.checkedDetails(), createdAt: now)
    return (record, secret)
  }

  private var grantTypes: [GrantType] {
    let own: [GrantType] = self.kind == .service ? [.clientCredentials] : [.authorizationCode, .refreshToken]
    return own + self.additionalGrantTypes.filter { !own.contains($0) }
  }
}

/// Why a client was not registered.
public enum ClientRegistrationError: Error, Equatable, Sendable {
  case invalidClientID
  case invalidName
  case invalidScope
  case unsupportedAlgorithm
  case noRedirectURI
  case invalidRedirectURI(String, RedirectURIError)
  /// A private-use redirect for a web client, or a loopback one for a web client that does not authenticate.
  case redirectURINotForWeb(String)
  /// A client that acts for itself sends nobody anywhere.
  case redirectURIOfService
  /// A secret for a client that does not authenticate with one, or a client that acts for itself and does not authenticate.
  case authenticationMethod
  case keysMissing
  case secretTooShort
  case invalidResource
  /// A member that names another signature algorithm than FAPI 2.0 has, for a client that is registered to keep it; or `jwks`.
  case profileAlgorithm(String)
  /// A member of ``ClientRegistration/metadata``, by its name, and the rule that it breaks.
  case member(String, ClientMetadataProblem)
}

extension AccountID {
  /// Begins every `sub`, and never a client identifier.
  static var prefix: String { "acct-" }

  /// A new account's identifier.
  package static func random() -> AccountID {
    AccountID(rawValue: self.prefix + RandomText.base64URL(bits: 128))
  }
}
