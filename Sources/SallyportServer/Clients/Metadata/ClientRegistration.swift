public import SallyportProtocol

/// A client that an operator wants to add. ``register(at:)`` validates it and creates the record to store.
public struct ClientRegistration: Sendable {
  /// The kind of client.
  ///
  /// A `native` client is public unless it is a single installation with its own secret or key. A `web` client is
  /// confidential unless its authentication method is `none` (RFC 8252 §8.4). A `service` client is confidential and
  /// acts for itself (RFC 6749 §4.4).
  public enum Kind: String, Sendable, CaseIterable { case native, web, service }

  /// The client ID; nil to generate one.
  public var id: String?
  public var name: String
  public var kind: Kind
  public var redirectURIs: [String]
  /// The maximum scope that the client can request, as values separated by spaces.
  public var scope: String
  /// The algorithm with which the server signs the client's ID tokens: `ES256` or `RS256`.
  public var signingAlgorithm: String
  /// The authentication method; nil for the default of the kind. A `native` client that authenticates is a single
  /// installation.
  public var authenticationMethod: ClientAuthenticationMethod?
  /// A secret that the operator chose; nil to generate one if the method needs it.
  public var secret: Secret<String>?
  /// The keys that verify the client's assertions and request objects.
  public var keys: ClientKeys?
  /// Grant types in addition to the ones that every client of this kind has, such as the device grant for a `native`
  /// client or client credentials for a `web` client.
  public var additionalGrantTypes: [GrantType] = []
  public var postLogoutRedirectURIs: [String] = []
  /// The resources for which the client may request tokens; empty for any.
  public var resources: [String] = []
  /// The identifiers of the APIs that this client implements.
  public var audiences: [String] = []
  /// Whether the client is the operator's own app, for which the consent page is shorter.
  public var isFirstParty = false
  /// Whether a confidential client must use PKCE too (RFC 9700 §2.1.1).
  public var requiresPKCE = false
  /// The `acr` value that each grant to the client requires, such as `phr` (phishing-resistant); nil for no
  /// requirement.
  public var requiredContext: String?
  /// What happens when a user signs in to the client in an embedded web view; nil for the server's setting.
  public var webViews: WebViewPolicy?
  /// The private-use schemes without a period that redirect URIs may use.
  public var schemes: Set<String> = []
  /// Other metadata of RFC 7591 §2, such as links, contacts, back-channel logout, and requirements for requests. If a
  /// member has a property above, the record takes the value of the property and ignores the member. The checks of this
  /// metadata still use the member: for example, `requireSignedRequestObject` requires `jwks` or `jwksURI` here, even
  /// if ``keys`` is set.
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

  /// Validates the registration and creates a client record.
  /// - Returns: The record to store, and the generated secret, if any, which is shown once. A native client has no
  ///   secret by default, because a secret that all installations share is not confidential (RFC 8252 §8.5, rule S-34).
  /// - Throws: The first ``ClientRegistrationError`` of ``problems()``.
  public func register(at now: Timestamp) throws(ClientRegistrationError) -> (record: ClientRecord, secret: Secret<String>?) {
    if let problem = self.problems().first { throw problem }
    let (record, secret) = try self.record(at: now)
    return (record, self.secret == nil ? secret : nil)
  }

  /// Returns the record and its secret, whether generated or chosen by the operator.
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
    let defaultTypes: [GrantType] = self.kind == .service ? [.clientCredentials] : [.authorizationCode, .refreshToken]
    return defaultTypes + self.additionalGrantTypes.filter { !defaultTypes.contains($0) }
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
  /// A private-use URI for a web client, or a loopback URI for a web client that does not authenticate.
  case redirectURINotForWeb(String)
  /// A service must not have redirect URIs.
  case redirectURIOfService
  /// A secret was provided for a method that does not use one, or the method is `none` for a client that uses client
  /// credentials.
  case authenticationMethod
  case keysMissing
  case secretTooShort
  case invalidResource
  /// The client is a FAPI client, and this metadata member names a signature algorithm that FAPI 2.0 does not allow.
  case profileAlgorithm(String)
  /// A member of ``ClientRegistration/metadata`` is invalid. The values are its name and what is wrong with it.
  case member(String, ClientMetadataProblem)
}
