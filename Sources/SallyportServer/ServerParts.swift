import SallyportProtocol
import SallyportRemote
import SallyportWebAuthn

/// The parts that several endpoints of an ``AuthorizationServer`` share, and the endpoints that are built from them.
///
/// Sealed values, such as cookies, outlive the process. The purposes from which their keys are derived therefore cannot
/// change.
struct ServerParts {
  let configuration: ServerConfiguration
  let store: any Store
  let masterKey: MasterKey
  let now: TimeSource
  let transports: OutboundTransports

  let cache: ConfigurationCache
  let rejections: AuditRejections
  let deliveries: LogoutDeliveries
  let accessTokens: AccessTokenVerifier
  let proofs: DPoPVerifier
  private let clients: ClientDocuments
  private let keySets: ClientKeySets
  private let redirectRules: RedirectRules
  private let userCodes: UserCodeFingerprints
  /// The quota for pushed requests, device codes, request objects, and sign-ins through upstreams.
  private let quota: SharedQuota

  init(
    configuration: ServerConfiguration, store: any Store, masterKey: MasterKey, now: @escaping TimeSource,
    transports: OutboundTransports
  ) {
    self.configuration = configuration
    self.store = store
    self.masterKey = masterKey
    self.now = now
    self.transports = transports

    let (issuer, registration) = (configuration.issuer, configuration.registration)
    let cache = ConfigurationCache(store: store, masterKey: masterKey, lifetimes: configuration.lifetimes, now: now)
    self.cache = cache
    self.rejections = AuditRejections(store: store, now: now)
    self.deliveries = LogoutDeliveries(store: store, cache: cache, issuer: issuer, transports: transports, now: now)
    self.accessTokens = AccessTokenVerifier(
      store: store, issuer: issuer, cache: cache, verifiedTokens: SharedCache(capacity: 10_000), now: now)
    self.proofs = DPoPVerifier(
      store: store, issuer: issuer, nonces: DPoPNonceSource(key: masterKey.key(for: "dpop nonces"), now: now), now: now)
    self.clients = ClientDocuments(store: store, cache: cache, policy: registration, transports: transports, now: now)
    self.keySets = ClientKeySets(transports: transports, perMinute: registration.perMinute, store: store, now: now)
    self.redirectRules = RedirectRules(configuration)
    self.userCodes = UserCodeFingerprints(masterKey)
    self.quota = SharedQuota(perMinute: configuration.requestsPerMinute, now: now)
  }

  /// What the server offers, depending on its configuration and on the URLs to which it can send requests.
  var capabilities: ServerCapabilities {
    var capabilities = ServerCapabilities()
    let canFetch = self.transports.dynamicClients != nil
    capabilities.acceptsClientIDDocuments = self.configuration.registration.acceptsDocuments && canFetch
    capabilities.fetchesRequestObjects = canFetch
    capabilities.deliversLogout = self.transports.operators != nil
    return capabilities
  }

  /// Returns a new fetcher of documents that clients link to. Its limit of requests per minute is not shared with the
  /// other fetchers.
  private func clientLinkedDocuments() -> ClientLinkedDocuments {
    ClientLinkedDocuments(
      transport: self.transports.dynamicClients, perMinute: self.configuration.registration.perMinute, now: self.now)
  }
}

// MARK: Users

extension ServerParts {
  private var knownBrowsers: KnownBrowsers { KnownBrowsers(sealer: self.masterKey.sealer(for: "known browsers")) }

  /// - Returns: Nil if users cannot sign in with passkeys.
  func passkeySignIn(_ sessions: BrowserSessions) -> PasskeySignIn? {
    guard let policy = self.configuration.passkeys, let relyingParty = self.configuration.relyingParty else { return nil }
    return PasskeySignIn(
      store: self.store, relyingParty: relyingParty, attestation: policy.attestation, challenges: self.passkeyChallenges,
      sessions: sessions, browsers: self.knownBrowsers, rejections: self.rejections, now: self.now)
  }

  /// - Returns: Nil if users cannot sign in with passkeys.
  func passkeyRegistration() -> PasskeyRegistration? {
    guard let policy = self.configuration.passkeys, let relyingParty = self.configuration.relyingParty else { return nil }
    return PasskeyRegistration(
      store: self.store, relyingParty: relyingParty, attestation: policy.attestation, serverName: self.configuration.name,
      challenges: self.passkeyChallenges, codes: RecoveryCodes(self.masterKey), changePolicy: self.changePolicy, now: self.now)
  }

  /// The rule for sensitive changes to an account, such as a new factor.
  var changePolicy: SensitiveChangePolicy {
    SensitiveChangePolicy(
      relyingPartyID: self.configuration.relyingParty?.id, idle: self.configuration.lifetimes.browserSessionIdle)
  }

  func secondFactorSignIn(_ sessions: BrowserSessions) -> SecondFactorSignIn {
    SecondFactorSignIn(
      store: self.store,
      pendingSignIns: PendingSignIns(sealer: self.masterKey.sealer(for: "pending sign-ins"), now: self.now),
      secrets: self.totpSecrets, codes: RecoveryCodes(self.masterKey), changePolicy: self.changePolicy,
      changeProofs: self.changeProofs, sessions: sessions, browsers: self.knownBrowsers, rejections: self.rejections,
      now: self.now)
  }

  /// - Returns: Nil if there is no transport for requests to upstreams.
  func upstreamSignIn(_ sessions: BrowserSessions, _ secondFactors: SecondFactorSignIn) -> UpstreamSignIn? {
    self.transports.operators.map { transport in
      let secrets = UpstreamSecrets(self.masterKey)
      return UpstreamSignIn(
        store: self.store, cache: self.cache, issuer: self.configuration.issuer,
        providers: UpstreamProviders(transport: transport, now: self.now),
        requests: UpstreamRequests(store: self.store, secrets: secrets, quota: self.quota, now: self.now), secrets: secrets,
        accounts: FederatedAccounts(store: self.store, changePolicy: self.changePolicy, now: self.now), sessions: sessions,
        secondFactors: secondFactors, changePolicy: self.changePolicy, rejections: self.rejections, now: self.now)
    }
  }

  /// - Parameter signIn: The sign-in through upstreams, with which the cached metadata and keys are shared.
  func upstreamLogout(_ signIn: UpstreamSignIn) -> UpstreamLogout {
    UpstreamLogout(
      store: self.store, cache: self.cache, issuer: self.configuration.issuer, providers: signIn.providers,
      logoutSignal: self.deliveries.signal, now: self.now)
  }

  func twoStepVerification() -> TwoStepVerification {
    TwoStepVerification(
      store: self.store, secrets: self.totpSecrets, codes: RecoveryCodes(self.masterKey), changePolicy: self.changePolicy,
      serverName: self.configuration.name, logoutSignal: self.deliveries.signal, now: self.now)
  }

  private var totpSecrets: TOTPSecrets {
    TOTPSecrets(sealer: self.masterKey.sealer(for: "totp secrets"), now: self.now)
  }

  private var changeProofs: PasswordChangeProofs {
    PasswordChangeProofs(sealer: self.masterKey.sealer(for: "password changes"), now: self.now)
  }

  private var passkeyChallenges: PasskeyChallenges {
    PasskeyChallenges(
      sealer: self.masterKey.sealer(for: "passkey challenges"), signInLifetime: self.configuration.lifetimes.interaction,
      now: self.now)
  }

  func passwordSignIn(_ accounts: Accounts) -> PasswordSignIn {
    PasswordSignIn(
      accounts: accounts, browsers: self.knownBrowsers,
      changeProofs: self.changeProofs, changePolicy: self.changePolicy,
      limits: self.configuration.signIn,
      counters: SignInCounters(
        store: self.store, limits: self.configuration.signIn, key: self.masterKey.key(for: "sign-in counters")),
      logoutSignal: self.deliveries.signal, rejections: self.rejections, now: self.now)
  }

  /// - Parameter mailSignal: Wakes the delivery of mail.
  func accountLinks(_ accounts: Accounts, mailSignal: WakeSignal) -> AccountLinks {
    AccountLinks(
      accounts: accounts, issuer: self.configuration.issuer, lifetimes: self.configuration.lifetimes,
      changePolicy: self.changePolicy, masterKey: self.masterKey, mailSignal: mailSignal, logoutSignal: self.deliveries.signal)
  }

  /// - Returns: Nil if users cannot create accounts with links, or the server sends no mail.
  func signUps(_ accounts: Accounts, mailSignal: WakeSignal) -> SignUps? {
    guard self.configuration.signUp != .off, self.configuration.mail != nil else { return nil }
    return SignUps(
      accounts: accounts, issuer: self.configuration.issuer, policy: self.configuration.signUp, masterKey: self.masterKey,
      maximumPerHour: self.configuration.signUpsPerHour, mailSignal: mailSignal)
  }

  /// - Returns: Nil if the server sends no mail.
  func mailDeliveries(signal: WakeSignal) -> MailDeliveries? {
    self.configuration.mail.map { policy in
      let composer = MailComposer(
        policy: policy, serverName: self.configuration.name, issuer: self.configuration.issuer,
        links: MailLinkSealer(self.masterKey), language: self.configuration.language)
      return MailDeliveries(store: self.store, composer: composer, now: self.now, signal: signal)
    }
  }

  func sessions() -> BrowserSessions {
    BrowserSessions(
      store: self.store, lifetimes: self.configuration.lifetimes, now: self.now, logoutSignal: self.deliveries.signal,
      rejections: self.rejections)
  }

  func accountDrafts() -> AccountDrafts {
    AccountDrafts(sealer: self.masterKey.sealer(for: "account drafts"), now: self.now)
  }

  func returningUser() -> ReturningUser {
    ReturningUser(sealer: self.masterKey.sealer(for: "returning person"))
  }

  func logoutRequests() -> LogoutRequests {
    LogoutRequests(
      cache: self.cache, issuer: self.configuration.issuer, sealer: self.masterKey.sealer(for: "sign-out"),
      lifetime: self.configuration.lifetimes.interaction, redirectRules: self.redirectRules, now: self.now)
  }
}

// MARK: Authorization requests

extension ServerParts {
  func pushedRequests() -> PushedRequests {
    PushedRequests(
      store: self.store, sealer: self.masterKey.sealer(for: "pushed requests"), lifetimes: self.configuration.lifetimes,
      quota: self.quota, now: self.now)
  }

  func requestParser(_ pushedRequests: PushedRequests) -> AuthorizationRequestParser {
    let objects = RequestObjects(
      keySets: self.keySets, documents: self.clientLinkedDocuments(), fetchedObjects: FetchedRequestObjects(now: self.now),
      quota: self.quota, store: self.store, issuer: self.configuration.issuer, now: self.now)
    return AuthorizationRequestParser(
      cache: self.cache, clients: self.clients, objects: objects, pushedRequests: pushedRequests,
      configuration: self.configuration, redirectRules: self.redirectRules)
  }

  func interactions() -> Interactions {
    Interactions(
      cache: self.cache, sealer: self.masterKey.sealer(for: "interactions"), configuration: self.configuration,
      redirectRules: self.redirectRules, now: self.now)
  }

  func deviceVerification() -> DeviceVerification {
    DeviceVerification(
      store: self.store, userCodes: self.userCodes, configuration: self.configuration, now: self.now)
  }

  func deviceInteractions() -> DeviceInteractions {
    DeviceInteractions(
      sealer: self.masterKey.sealer(for: "device interactions"), lifetime: self.configuration.lifetimes.deviceCode,
      now: self.now)
  }
}

// MARK: Endpoints for clients

extension ServerParts {
  func clientRequests() -> ClientRequests {
    let authenticator = ClientAuthenticator(
      clients: self.clients, keySets: self.keySets, store: self.store, issuer: self.configuration.issuer,
      rejections: self.rejections, now: self.now)
    return ClientRequests(authenticator: authenticator, proofs: self.proofs)
  }

  func tokenEndpoint(_ requests: ClientRequests) -> TokenEndpoint {
    let minter = TokenMinter(configuration: self.configuration, cache: self.cache)
    return TokenEndpoint(
      requests: requests,
      redeemer: GrantRedeemer(store: self.store, minter: minter, proofs: self.proofs, now: self.now))
  }

  func deviceAuthorization(_ requests: ClientRequests) -> DeviceAuthorizationEndpoint {
    DeviceAuthorizationEndpoint(
      requests: requests, store: self.store, userCodes: self.userCodes, configuration: self.configuration,
      quota: self.quota, now: self.now)
  }

  func registration() -> RegistrationEndpoint {
    RegistrationEndpoint(
      store: self.store, cache: self.cache, documents: self.clientLinkedDocuments(), configuration: self.configuration,
      quota: SharedQuota(perMinute: self.configuration.registration.perMinute, now: self.now),
      rejections: self.rejections, now: self.now)
  }
}
