public import SallyportProtocol
public import SallyportRemote

/// An authorization server without its HTTP: each endpoint as a value, wired once.
public struct AuthorizationServer<S: Store>: Sendable {
  public let configuration: ServerConfiguration
  package let store: S
  package let now: TimeSource
  package let cache: ConfigurationCache<S>
  package let accounts: Accounts<S>
  package let sessions: BrowserSessions<S>
  package let interactions: Interactions<S>
  package let authorization: AuthorizationFlow<S>
  package let token: TokenEndpoint<S>
  package let revocation: RevocationEndpoint<S>
  package let userinfo: UserinfoEndpoint<S>
  package let registration: RegistrationEndpoint<S>
  /// Whether a client may be known by its metadata document's URL.
  package let acceptsClientIDDocuments: Bool
  package let formTokens: FormTokens

  /// - Parameters:
  ///   - masterKey: the key under which signing keys, interactions and forms are protected.
  ///   - hasher: checks the passwords of people who sign in.
  ///   - transport: fetches what clients publish elsewhere; without one no client is known by a document. It must not reach addresses of
  ///     the server's own network.
  ///   - now: tells the time.
  public init(
    configuration: ServerConfiguration, store: S, masterKey: MasterKey, hasher: any PasswordHasher,
    transport: (any Transport)? = nil, now: @escaping TimeSource = Timestamp.now
  ) {
    let lifetimes = configuration.lifetimes
    let cache = ConfigurationCache(store: store, masterKey: masterKey, now: now)
    let minter = TokenMinter(configuration: configuration, cache: cache)
    let clients = ClientDocuments(
      store: store, cache: cache, policy: configuration.registration, transport: transport, now: now)
    let authenticator = ClientAuthenticator(cache: cache)
    let accessTokens = AccessTokenVerifier(configuration: configuration, cache: cache, verified: VerifiedTokenCache(), now: now)
    self.configuration = configuration
    self.store = store
    self.now = now
    self.cache = cache
    self.accounts = Accounts(store: store, hasher: hasher, now: now)
    self.sessions = BrowserSessions(store: store, lifetimes: lifetimes, now: now)
    self.interactions = Interactions(
      cache: cache, sealer: Sealer(key: masterKey.key(for: "interactions")), lifetime: lifetimes.interaction,
      anyLocalhostPort: configuration.allowsAnyLocalhostPort, now: now)
    self.authorization = AuthorizationFlow(
      store: store,
      parser: AuthorizationRequestParser(
        cache: cache, clients: clients, anyLocalhostPort: configuration.allowsAnyLocalhostPort),
      interactions: self.interactions, configuration: configuration, now: now)
    self.token = TokenEndpoint(
      authenticator: authenticator,
      authorizationCode: AuthorizationCodeGrant(store: store, minter: minter, lifetimes: lifetimes, now: now),
      refreshToken: RefreshTokenGrant(store: store, minter: minter, lifetimes: lifetimes, now: now))
    self.revocation = RevocationEndpoint(authenticator: authenticator, store: store, accessTokens: accessTokens, now: now)
    self.userinfo = UserinfoEndpoint(store: store, accessTokens: accessTokens, now: now)
    self.registration = RegistrationEndpoint(store: store, cache: cache, configuration: configuration, now: now)
    self.acceptsClientIDDocuments = configuration.registration.acceptsDocuments && transport != nil
    self.formTokens = FormTokens(masterKey)
  }
}
