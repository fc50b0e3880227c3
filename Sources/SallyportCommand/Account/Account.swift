import Sallyport
import SallyportProtocol
import SallyportRemote

/// An account that the commands use, with everything that `login` needs to sign in to it again.
struct Account: Equatable {
  /// The name that the user gave to the account, for example `work`, or `nil` if it has none.
  var profile: ProfileName?
  var issuer: Issuer
  var clientID: String
  /// Whether the client identifier is from this installation's registration at the server (RFC 7591). Otherwise, the
  /// user specified it.
  var usesOwnRegistration = false
  /// The API that the tokens are for, if any.
  var resource: EndpointURL?
  /// The requested scope, or `nil` for the default scope. The server may grant another scope.
  var scope: Scope?
  /// The redirect URI that the user specified with `--redirect-uri`, or `nil` if the SDK chooses one.
  var redirectURI: RedirectURI?
  /// Whether the tokens must be bound to a key of this installation (RFC 9449).
  var isBound = false
  /// The URLs whose origins may receive the tokens, if the tokens are not for an API (rule C-34).
  var tokenOrigins: [EndpointURL] = []
  /// Additional parameters of the authorization request.
  var parameters: [String: String] = [:]
  /// Whether the client has a secret, which is kept in the token store.
  var hasSecret = false
  /// The provider or the metadata that the user specified for the server, or `nil` if the issuer identifier suffices.
  var server: ServerDescription?
  /// The user that the server reported at the last sign-in, if any: the user name, or else the name, or else the
  /// subject (`sub`).
  var user: String?
  /// Whether the user made this account the default with `switch`.
  var isChosen = false

  /// The account name of the session in the store. It keeps the sessions of different profiles and APIs apart.
  var sessionName: String? { self.profile?.description ?? self.resource?.value }

  /// The policy of the account's client. A bound account accepts no bearer tokens.
  var dpopPolicy: DPoPPolicy { self.isBound ? .required : .never }

  /// Whether the tokens are for this API. A resource without a path covers the whole origin, because an API without
  /// metadata of its own uses the metadata at the root of its origin (see `ResourceDiscovery`).
  func isFor(_ api: EndpointURL) -> Bool {
    guard let resource = self.resource else { return false }
    return resource == api || (resource.pathAndQuery == "/" && Origin(resource) == Origin(api))
  }

  /// The path segments of the account's API, or `nil` if the tokens must not be sent to the URL's origin. For an
  /// account without an API, the array is empty.
  ///
  /// Callers compare the segments with the path of the URL. They must compare whole segments, because /tenant-bc is not
  /// part of /tenant-b.
  func apiSegments(at url: EndpointURL) -> [Substring]? {
    if let resource = self.resource { return Origin(resource) == Origin(url) ? resource.segments : nil }
    return self.allTokenOrigins.contains { Origin($0) == Origin(url) } ? [] : nil
  }

  /// The URLs whose origins may receive the tokens, if the tokens are not for an API: ``tokenOrigins`` and the
  /// provider's own APIs (rule C-34).
  var allTokenOrigins: [EndpointURL] {
    guard self.resource == nil, case .provider(let provider) = self.server else { return self.tokenOrigins }
    return self.tokenOrigins + provider.apiOrigins
  }

  /// The provider that the user named at the sign-in, if any.
  var provider: Provider? {
    if case .provider(let provider) = self.server { provider } else { nil }
  }

  /// Whether both accounts use the same session in the store.
  func sharesSession(with other: Account) -> Bool {
    self.issuer == other.issuer && self.clientID == other.clientID && self.sessionName == other.sessionName
  }

  /// Whether the other account replaces this one in the list. The list has one account for each profile. Accounts
  /// without a profile are distinguished by their API, and accounts that also have no API by their issuer and client.
  func isReplaced(by other: Account) -> Bool {
    if let profile = other.profile { return self.profile == profile }
    if let resource = other.resource { return self.profile == nil && self.resource == resource }
    return self.sharesSession(with: other)
  }
}

extension Account {
  /// A description of the account for messages.
  var summary: String {
    let profile = self.profile.map { "\($0), " } ?? ""
    let resource = self.resource.map { " for \($0)" } ?? ""
    return "\(profile)\(self.issuer) (client \(Printable.text(self.clientID)))\(resource)"
  }
}

extension EndpointURL {
  /// The segments of the path, without empty ones.
  var segments: [Substring] { self.components.path.split(separator: "/") }
}

extension Account {
  /// The account of a session that is not in the list, or `nil` if the session has an account name that is neither the
  /// name of a profile nor the URL of an API.
  init?(_ session: StoredSession) {
    self.init(issuer: session.issuer, clientID: session.clientID)
    self.profile = session.account.flatMap { ProfileName($0) }
    if self.profile == nil { self.resource = session.account.flatMap { try? EndpointURL($0) } }
    guard self.sessionName == session.account else { return nil }
  }

  func uses(_ session: StoredSession) -> Bool {
    self.issuer == session.issuer && self.clientID == session.clientID && self.sessionName == session.account
  }
}

extension Account: Codable {
  private enum CodingKeys: String, CodingKey {
    case profile
    case issuer
    case clientID = "client_id"
    case usesOwnRegistration = "registered"
    case resource
    case scope = "requested_scope"
    /// The name of `scope` in lists of earlier versions.
    case formerScope = "scope"
    case redirectURI = "redirect_uri"
    case isBound = "dpop"
    case tokenOrigins = "token_origins"
    case parameters
    case hasSecret = "client_secret"
    case user
    case isChosen = "chosen"
    case provider
    /// The server's metadata that the user specified (``ServerDescription/members(_:)``).
    case members = "server"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.profile = try container.decodeIfPresent(ProfileName.self, forKey: .profile)
    self.issuer = try container.decode(Issuer.self, forKey: .issuer)
    self.clientID = try container.decode(String.self, forKey: .clientID)
    self.usesOwnRegistration = try container.decodeIfPresent(Bool.self, forKey: .usesOwnRegistration) ?? false
    self.resource = try container.decodeIfPresent(String.self, forKey: .resource).map { try EndpointURL($0) }
    let scope =
      try container.decodeIfPresent(String.self, forKey: .scope) ?? container.decodeIfPresent(String.self, forKey: .formerScope)
    self.scope = scope.flatMap { Scope($0) }
    self.redirectURI = try container.decodeIfPresent(String.self, forKey: .redirectURI).map { try RedirectURI($0) }
    self.isBound = try container.decodeIfPresent(Bool.self, forKey: .isBound) ?? false
    let origins = try container.decodeIfPresent([String].self, forKey: .tokenOrigins) ?? []
    self.tokenOrigins = try origins.map { try EndpointURL($0) }
    self.parameters = try container.decodeIfPresent([String: String].self, forKey: .parameters) ?? [:]
    self.hasSecret = try container.decodeIfPresent(Bool.self, forKey: .hasSecret) ?? false
    // A provider that only another version of the command knows is ignored. An error would make the whole list
    // unreadable.
    let provider = try container.decodeIfPresent(String.self, forKey: .provider).flatMap { try? Provider($0) }
    let members = try container.decodeIfPresent([String: JSONValue].self, forKey: .members)
    self.server = provider.map { .provider($0) } ?? members.map { .members($0) }
    self.user = try container.decodeIfPresent(String.self, forKey: .user)
    self.isChosen = try container.decodeIfPresent(Bool.self, forKey: .isChosen) ?? false
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(self.profile, forKey: .profile)
    try container.encode(self.issuer, forKey: .issuer)
    try container.encode(self.clientID, forKey: .clientID)
    try container.encode(self.usesOwnRegistration, forKey: .usesOwnRegistration)
    try container.encodeIfPresent(self.resource?.value, forKey: .resource)
    try container.encodeIfPresent(self.scope?.description, forKey: .scope)
    try container.encodeIfPresent(self.redirectURI?.value, forKey: .redirectURI)
    try container.encode(self.isBound, forKey: .isBound)
    if !self.tokenOrigins.isEmpty { try container.encode(self.tokenOrigins.map(\.value), forKey: .tokenOrigins) }
    if !self.parameters.isEmpty { try container.encode(self.parameters, forKey: .parameters) }
    if self.hasSecret { try container.encode(true, forKey: .hasSecret) }
    try container.encodeIfPresent(self.user, forKey: .user)
    switch self.server {
    case .provider(let provider): try container.encode(provider.text, forKey: .provider)
    case .members(let members): try container.encode(members, forKey: .members)
    case nil: break
    }
    if self.isChosen { try container.encode(true, forKey: .isChosen) }
  }
}
