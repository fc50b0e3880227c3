public import SallyportProtocol

/// What an operator says about a client to be added. ``register(at:)`` turns it into a record or says what makes no sense.
public struct ClientRegistration: Sendable {
  /// `native` is public; `web` is confidential (RFC 8252 §8.4); `service` is confidential and acts for itself (RFC 6749 §4.4).
  public enum Kind: String, Sendable, CaseIterable { case native, web, service }

  public var id: String?
  public var name: String
  public var kind: Kind
  public var redirectURIs: [String]
  public var scope: String
  public var signingAlgorithm: String
  /// How a `web` or `service` client proves who it is; nil for its default.
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

  /// Checks the registration.
  /// - Returns: the record to store, and the secret of a confidential client, which is shown once. A native client gets none:
  ///   what every install shares is no secret (RFC 8252 §8.5, rule S-34).
  /// - Throws: ``ClientRegistrationError``
  public func register(at now: Timestamp) throws(ClientRegistrationError) -> (record: ClientRecord, secret: Secret<String>?) {
    let id = self.id ?? "client-" + RandomText.base64URL(bits: 96)
    guard Self.isValidID(id) else { throw .invalidClientID }
    guard !self.name.allSatisfy(\.isWhitespace), self.name.utf8.count <= 200 else { throw .invalidName }
    guard let scope = Scope(self.scope), !scope.isEmpty else { throw .invalidScope }
    guard SigningKey.Algorithm(rawValue: self.signingAlgorithm) != nil else { throw .unsupportedAlgorithm }
    let redirectURIs = try self.checkedRedirectURIs()
    let (method, secret) = try self.checkedAuthentication()
    var details = ClientDetails()
    details.postLogoutRedirectURIs = try self.checkedPostLogoutURIs()
    details.resources = try Self.checked(self.resources)
    details.audiences = try Self.checked(self.audiences)
    let record = ClientRecord(
      id: ClientID(rawValue: id), name: self.name, type: method == .none ? .public : .confidential,
      applicationType: self.kind == .native ? .native : .web, redirectURIs: redirectURIs, scope: scope,
      signingAlgorithm: self.signingAlgorithm, authenticationMethod: method, secretFingerprint: secret.map(Fingerprint.init(of:)),
      keys: self.keys, grantTypes: self.grantTypes, isFirstParty: self.isFirstParty, details: details, createdAt: now)
    return (record, self.secret == nil ? secret : nil)
  }

  private var grantTypes: [GrantType] {
    let own: [GrantType] = self.kind == .service ? [.clientCredentials] : [.authorizationCode, .refreshToken]
    return own + self.additionalGrantTypes.filter { !own.contains($0) }
  }

  /// RFC 8252 §8.4 and §8.5: a native app is public. The others prove who they are, with a secret or with a key.
  private func checkedAuthentication() throws(ClientRegistrationError) -> (ClientAuthenticationMethod, Secret<String>?) {
    let confidential: ClientAuthenticationMethod = self.keys == nil ? .clientSecretBasic : .privateKeyJWT
    let method = self.authenticationMethod ?? (self.kind == .native ? .none : confidential)
    guard (self.kind == .native) == (method == .none), method == .none || !self.additionalGrantTypes.contains(.deviceCode) else {
      throw .authenticationMethod
    }
    guard method != .none || !self.additionalGrantTypes.contains(.clientCredentials) else { throw .authenticationMethod }
    guard (method == .privateKeyJWT) == (self.keys != nil) || (self.keys != nil && method.usesSecret) else { throw .keysMissing }
    guard method.usesSecret else {
      guard self.secret == nil else { throw .authenticationMethod }
      return (method, nil)
    }
    // RFC 6749 §10.10: nobody guesses 128 bits; shorter ones somebody chose.
    if let secret = self.secret, secret.reveal().utf8.count < 22 { throw .secretTooShort }
    return (method, self.secret ?? Secret(RandomText.base64URL(bits: 256)))
  }

  /// OpenID Connect RP-Initiated Logout §3.1: the same kinds of addresses as for answers.
  private func checkedPostLogoutURIs() throws(ClientRegistrationError) -> [String]? {
    for text in self.postLogoutRedirectURIs {
      let uri: RedirectURI
      do { uri = try RedirectURI(text) } catch { throw .invalidRedirectURI(text, error) }
      guard self.kind == .native || uri.kind == .https else { throw .redirectURINotForWeb(text) }
    }
    return self.postLogoutRedirectURIs.isEmpty ? nil : self.postLogoutRedirectURIs
  }

  private static func checked(_ resources: [String]) throws(ClientRegistrationError) -> [String]? {
    guard resources.allSatisfy(ResourceIndicators.isValid) else { throw .invalidResource }
    return resources.isEmpty ? nil : resources
  }

  private func checkedRedirectURIs() throws(ClientRegistrationError) -> [RedirectURI] {
    guard self.kind != .service || self.redirectURIs.isEmpty else { throw .redirectURIOfService }
    let isDeviceOnly = self.additionalGrantTypes.contains(.deviceCode)
    guard !self.redirectURIs.isEmpty || self.kind == .service || isDeviceOnly else { throw .noRedirectURI }
    var checked: [RedirectURI] = []
    for text in self.redirectURIs {
      let uri: RedirectURI
      do { uri = try RedirectURI(text) } catch { throw .invalidRedirectURI(text, error) }
      // RFC 9700 §2.6 and RFC 8252 §8.4: only a native app receives answers on loopback or by a private-use scheme.
      guard self.kind == .native || uri.kind == .https else { throw .redirectURINotForWeb(text) }
      if !checked.contains(uri) { checked.append(uri) }
    }
    return checked
  }

  /// Visible ASCII (RFC 6749 appendix A.1), and nothing that could be taken for an account's `sub` (RFC 9700 §4.15).
  private static func isValidID(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 255 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !id.hasPrefix(AccountID.prefix)
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
  /// A loopback or private-use redirect for a web client.
  case redirectURINotForWeb(String)
  /// A client that acts for itself sends nobody anywhere.
  case redirectURIOfService
  /// A public client with a proof, a confidential one without, or a device that keeps a secret.
  case authenticationMethod
  case keysMissing
  case secretTooShort
  case invalidResource
}

extension AccountID {
  /// Begins every `sub`, and never a client identifier.
  static var prefix: String { "acct-" }

  /// A new account's identifier.
  package static func random() -> AccountID {
    AccountID(rawValue: self.prefix + RandomText.base64URL(bits: 128))
  }
}
