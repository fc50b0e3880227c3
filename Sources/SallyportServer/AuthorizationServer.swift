public import SallyportProtocol
public import SallyportRemote

/// An authorization server without the HTTP layer. Creates the endpoints and connects them to each other.
///
/// This is a class because every request passes through it, and passing a reference is cheaper than copying.
public final class AuthorizationServer: Sendable {
  public let configuration: ServerConfiguration
  package let store: any Store
  package let now: TimeSource
  package let cache: ConfigurationCache
  package let accounts: Accounts
  package let passwordSignIn: PasswordSignIn
  package let sessions: BrowserSessions
  package let interactions: Interactions
  package let authorization: AuthorizationFlow
  package let token: TokenEndpoint
  package let revocation: RevocationEndpoint
  package let userinfo: UserinfoEndpoint
  package let introspection: IntrospectionEndpoint
  package let pushedRequests: PushedRequestEndpoint
  package let deviceAuthorization: DeviceAuthorizationEndpoint
  package let deviceVerification: DeviceVerification
  package let deviceInteractions: DeviceInteractions
  package let logout: LogoutRequests
  /// Notifies clients that a user has signed out. Run it alongside the endpoints.
  public let logoutDeliveries: LogoutDeliveries
  /// Writes rejected attempts to the audit trail. Run it alongside the endpoints.
  public let rejections: AuditRejections
  package let nonces: DPoPNonceSource
  package let returningUser: ReturningUser
  package let registration: RegistrationEndpoint
  package let csrfTokens: CSRFTokens
  /// The metadata that the server publishes.
  package let metadata: ServerMetadata

  /// - Parameters:
  ///   - masterKey: The key from which other keys are derived, for example the one that encrypts signing keys.
  ///   - hasher: Checks the passwords of users who sign in.
  ///   - transport: Fetches the URLs of dynamic clients: key sets, metadata documents, and back-channel logout
  ///     endpoints. It must not reach addresses of the server's own network. If nil, these URLs are not used.
  ///   - operatorTransport: Fetches the URLs of clients that an operator registered; nil to use `transport`.
  ///   - now: The source of the current time.
  public init(
    configuration: ServerConfiguration, store: any Store, masterKey: MasterKey, hasher: any PasswordHasher,
    transport: (any Transport)? = nil, operatorTransport: (any Transport)? = nil, now: @escaping TimeSource = Timestamp.now
  ) {
    let lifetimes = configuration.lifetimes
    let cache = ConfigurationCache(store: store, masterKey: masterKey, lifetimes: lifetimes, now: now)
    let minter = TokenMinter(configuration: configuration, cache: cache)
    let transports = OutboundTransports(operators: operatorTransport ?? transport, dynamicClients: transport)
    let clients = ClientDocuments(
      store: store, cache: cache, policy: configuration.registration, transports: transports, now: now)
    let issuer = configuration.issuer
    let perMinute = configuration.registration.perMinute
    let keySets = ClientKeySets(transports: transports, perMinute: perMinute, store: store, now: now)
    let deliveries = LogoutDeliveries(store: store, cache: cache, issuer: issuer, transports: transports, now: now)
    let rejections = AuditRejections(store: store, now: now)
    let authenticator = ClientAuthenticator(
      clients: clients, keySets: keySets, store: store, issuer: issuer, rejections: rejections, now: now)
    let accessTokens = AccessTokenVerifier(
      store: store, issuer: issuer, cache: cache, verified: SharedCache(capacity: 10_000), now: now)
    let proofs = DPoPVerifier(
      store: store, issuer: issuer, nonces: DPoPNonceSource(key: masterKey.key(for: "dpop nonces"), now: now), now: now)
    let requests = ClientRequests(authenticator: authenticator, proofs: proofs)
    let quota = SharedQuota(perMinute: configuration.requestsPerMinute, now: now)
    let pushed = PushedRequests(
      store: store, sealer: masterKey.sealer(for: "pushed requests"), lifetimes: lifetimes, quota: quota, now: now)
    let objects = RequestObjects(
      keySets: keySets, documents: NamedDocuments(transport: transport, perMinute: perMinute, now: now),
      fetched: FetchedRequestObjects(now: now), quota: quota, store: store, issuer: issuer, now: now)
    let documents = NamedDocuments(transport: transport, perMinute: perMinute, now: now)
    let redirectRules = RedirectRules(configuration)
    let parser = AuthorizationRequestParser(
      cache: cache, clients: clients, objects: objects, pushed: pushed, configuration: configuration,
      redirectRules: redirectRules)
    let userCodes = UserCodeFingerprints(masterKey)
    self.configuration = configuration
    self.store = store
    self.now = now
    self.cache = cache
    self.accounts = Accounts(store: store, hasher: hasher, policy: configuration.passwordPolicy, now: now)
    self.passwordSignIn = PasswordSignIn(
      accounts: self.accounts, browsers: KnownBrowsers(sealer: masterKey.sealer(for: "known browsers")),
      changes: PasswordChanges(sealer: masterKey.sealer(for: "password changes"), now: now),
      limits: configuration.signIn, deliveries: deliveries.signal, rejections: rejections, now: now)
    self.sessions = BrowserSessions(
      store: store, lifetimes: lifetimes, now: now, deliveries: deliveries.signal, rejections: rejections)
    self.interactions = Interactions(
      cache: cache, sealer: masterKey.sealer(for: "interactions"), lifetime: lifetimes.interaction,
      redirectRules: redirectRules, now: now)
    self.authorization = AuthorizationFlow(
      store: store, parser: parser, sessions: self.sessions, interactions: self.interactions, configuration: configuration,
      now: now)
    self.token = TokenEndpoint(
      requests: requests, redeemer: GrantRedeemer(store: store, minter: minter, proofs: proofs, now: now))
    self.revocation = RevocationEndpoint(requests: requests, store: store, accessTokens: accessTokens, now: now)
    self.userinfo = UserinfoEndpoint(
      accessTokens: accessTokens, proofs: proofs, cache: cache, configuration: configuration, now: now)
    self.introspection = IntrospectionEndpoint(
      requests: requests, store: store, accessTokens: accessTokens, issuer: issuer, now: now)
    self.pushedRequests = PushedRequestEndpoint(
      requests: requests, parser: parser, pushedRequests: pushed, lifetimes: lifetimes)
    self.deviceAuthorization = DeviceAuthorizationEndpoint(
      requests: requests, store: store, userCodes: userCodes, configuration: configuration,
      quota: quota, now: now)
    self.deviceVerification = DeviceVerification(
      store: store, userCodes: userCodes, lifetimes: lifetimes, now: now)
    self.deviceInteractions = DeviceInteractions(
      sealer: masterKey.sealer(for: "device interactions"), lifetime: lifetimes.deviceCode, now: now)
    self.logout = LogoutRequests(
      cache: cache, issuer: issuer, sealer: masterKey.sealer(for: "sign-out"), lifetime: lifetimes.interaction,
      redirectRules: redirectRules, now: now)
    self.logoutDeliveries = deliveries
    self.rejections = rejections
    self.nonces = proofs.nonces
    // Existing cookies are sealed with the key for this purpose, so its name cannot change.
    self.returningUser = ReturningUser(sealer: masterKey.sealer(for: "returning person"))
    self.registration = RegistrationEndpoint(
      store: store, cache: cache, documents: documents, configuration: configuration,
      quota: SharedQuota(perMinute: perMinute, now: now), rejections: rejections, now: now)
    self.csrfTokens = CSRFTokens(masterKey)
    var capabilities = ServerCapabilities()
    capabilities.acceptsClientIDDocuments = configuration.registration.acceptsDocuments && transport != nil
    capabilities.fetchesRequestObjects = documents.areFetched
    capabilities.deliversLogout = transports.operators != nil
    self.metadata = configuration.metadata(with: capabilities)
  }
}
