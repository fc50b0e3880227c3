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
  /// Nil if users cannot sign in with passkeys.
  package let passkeySignIn: PasskeySignIn?
  /// Nil if users cannot sign in with passkeys.
  package let passkeys: PasskeyRegistration?
  /// Nil if the server has no transport for requests to upstreams.
  package let upstreamSignIn: UpstreamSignIn?
  /// Nil if the server has no transport for requests to upstreams.
  package let upstreamLogout: UpstreamLogout?
  package let secondFactorSignIn: SecondFactorSignIn
  package let twoStepVerification: TwoStepVerification
  package let selfService: SelfService
  package let accountDrafts: AccountDrafts
  package let accountLinks: AccountLinks
  /// Nil if the server sends no mail.
  package let resetRequests: ResetRequests?
  /// Nil if users cannot create accounts with mailed links, or the server sends no mail.
  package let signUps: SignUps?
  /// Sends queued mail. Run it alongside the endpoints. Nil if the server sends no mail.
  package let mailDeliveries: MailDeliveries?
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
  /// Seals the cookie with the user names that the sign-in page shows.
  package let returningUser: ReturningUser
  package let registration: RegistrationEndpoint
  package let csrfTokens: CSRFTokens
  /// The metadata that the server publishes.
  package let metadata: ServerMetadata

  /// - Parameters:
  ///   - masterKey: The key from which other keys are derived, such as the key that encrypts signing keys.
  ///   - hasher: Hashes and checks the passwords of users.
  ///   - transport: Sends requests to the URLs of clients that no operator registered (key sets, metadata documents,
  ///     sector identifier documents, and back-channel logout endpoints), and fetches the request objects of all
  ///     clients. The transport must not reach addresses of the server's own network. If nil, these URLs are not used.
  ///   - operatorTransport: Sends requests to upstreams, and to the key sets and back-channel logout endpoints of
  ///     clients that an operator registered, and fetches metadata documents on ``RegistrationPolicy/documentHosts``;
  ///     nil to use `transport`.
  ///   - now: The source of the current time.
  public init(
    configuration: ServerConfiguration, store: any Store, masterKey: MasterKey, hasher: any PasswordHasher,
    transport: (any Transport)? = nil, operatorTransport: (any Transport)? = nil, now: @escaping TimeSource = Timestamp.now
  ) {
    let parts = ServerParts(
      configuration: configuration, store: store, masterKey: masterKey, now: now,
      transports: OutboundTransports(operators: operatorTransport ?? transport, dynamicClients: transport))
    self.configuration = configuration
    self.store = store
    self.now = now
    self.cache = parts.cache
    self.logoutDeliveries = parts.deliveries
    self.rejections = parts.rejections
    self.nonces = parts.proofs.nonces

    // Users
    self.accounts = Accounts(store: store, hasher: hasher, policy: configuration.passwordPolicy, now: now)
    self.passwordSignIn = parts.passwordSignIn(self.accounts)
    self.sessions = parts.sessions()
    self.passkeySignIn = parts.passkeySignIn(self.sessions)
    self.passkeys = parts.passkeyRegistration()
    self.secondFactorSignIn = parts.secondFactorSignIn(self.sessions)
    self.upstreamSignIn = parts.upstreamSignIn(self.sessions, self.secondFactorSignIn)
    self.upstreamLogout = self.upstreamSignIn.map { parts.upstreamLogout($0) }
    self.twoStepVerification = parts.twoStepVerification()
    self.selfService = SelfService(
      store: store, sessions: self.sessions, changePolicy: parts.changePolicy,
      allowsDeletion: configuration.allowsAccountDeletion,
      activityPeriod: min(AccountOverview.maximumActivityPeriod, configuration.auditRetention))
    self.accountDrafts = parts.accountDrafts()
    let mailSignal = WakeSignal()
    self.accountLinks = parts.accountLinks(self.accounts, mailSignal: mailSignal)
    self.signUps = parts.signUps(self.accounts, mailSignal: mailSignal)
    self.mailDeliveries = parts.mailDeliveries(signal: mailSignal)
    self.resetRequests = configuration.mail == nil ? nil : ResetRequests(links: self.accountLinks, masterKey: masterKey)
    self.returningUser = parts.returningUser()
    self.csrfTokens = CSRFTokens(masterKey)
    self.logout = parts.logoutRequests()

    // Authorization requests
    let pushedRequests = parts.pushedRequests()
    let parser = parts.requestParser(pushedRequests)
    self.interactions = parts.interactions()
    self.authorization = AuthorizationFlow(
      store: store, parser: parser, sessions: self.sessions, interactions: self.interactions, configuration: configuration,
      now: now)
    self.deviceVerification = parts.deviceVerification()
    self.deviceInteractions = parts.deviceInteractions()

    // Endpoints for clients
    let requests = parts.clientRequests()
    self.token = parts.tokenEndpoint(requests)
    self.revocation = RevocationEndpoint(requests: requests, store: store, accessTokens: parts.accessTokens, now: now)
    self.introspection = IntrospectionEndpoint(
      requests: requests, store: store, accessTokens: parts.accessTokens, issuer: configuration.issuer, now: now)
    self.pushedRequests = PushedRequestEndpoint(
      requests: requests, parser: parser, pushedRequests: pushedRequests, interactions: self.interactions,
      lifetimes: configuration.lifetimes)
    self.deviceAuthorization = parts.deviceAuthorization(requests)
    self.userinfo = UserinfoEndpoint(
      accessTokens: parts.accessTokens, proofs: parts.proofs, cache: parts.cache, configuration: configuration, now: now)
    self.registration = parts.registration()

    self.metadata = configuration.metadata(with: parts.capabilities)
  }
}
