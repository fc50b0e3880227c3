public import SallyportProtocol
public import SallyportRemote

/// A native app at one authorization server: signs a person in through their own browser (RFC 8252).
///
/// Authorization code grant with PKCE `S256`, always. The app is a public client: there is no secret to give. Nothing is
/// requested before it is needed, so a client can be made, and a session restored, without a network.
///
///     let client = OAuthClient(issuer: issuer, clientID: "notes", store: store, transport: transport)
///     let session: Session
///     if let restored = try await client.restoreSession() {
///       session = restored
///     } else {
///       session = try await client.signIn(scopes: [.openID, .offlineAccess], via: browser, receiver: receiver)
///     }
///     let response = try await session.send(request)
public struct OAuthClient: Sendable {
  public let issuer: Issuer
  public let clientID: String
  /// What the person knows the app by; shown on the last page of a sign-in.
  public let appName: String?
  /// The app's own name for the account, where it keeps several side by side.
  public private(set) var account: String?

  let store: any TokenStore
  let transport: any Transport
  let now: TimeSource
  let provider: Provider
  let tokenOrigins: Set<Origin>
  let dpop: ClientDPoP
  let insecureSharedSecret: Secret<String>?

  /// - Parameters:
  ///   - issuer: the authorization server.
  ///   - clientID: as registered there.
  ///   - store: where the grant rests.
  ///   - transport: the way to the network.
  ///   - appName: what the person knows the app by.
  ///   - account: the app's own name for one of several accounts that it keeps side by side at one issuer. Each has a session of its
  ///     own; nil, or an empty text, is the one without a name.
  ///   - tokenOrigins: where tokens may be sent: ``Session/send(_:body:limits:)`` sends one to the origins of these URLs only. The server
  ///     hears nothing of it. A sign-in that names ``SignInOptions/resources`` needs none, since its tokens go to those.
  ///   - dpop: whether tokens are bound to a key of this installation (RFC 9449).
  ///   - dpopKeys: where such keys come from, for example a Secure Enclave.
  ///   - insecureSharedSecret: a secret that the server insists on although every install of the app has it. It goes along with each
  ///     request, and is no secret and proves nothing (RFC 8252 §8.5): PKCE and everything else stay as they are, and each sign-in
  ///     reports it as ``SignInProgress/sendingSharedSecret``. Leave it out wherever the server can be told that the client is public.
  ///   - now: the time.
  public init(
    issuer: Issuer, clientID: String, store: some TokenStore, transport: some Transport, appName: String? = nil,
    account: String? = nil, tokenOrigins: [EndpointURL] = [], dpop: DPoPPolicy = .whenOffered,
    dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(), insecureSharedSecret: Secret<String>? = nil,
    now: @escaping TimeSource = Timestamp.now
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.appName = appName
    self.account = account.flatMap { $0.isEmpty ? nil : $0 }
    self.store = store
    self.transport = transport
    self.now = now
    self.dpop = ClientDPoP(policy: dpop, keys: dpopKeys)
    self.insecureSharedSecret = insecureSharedSecret
    self.provider = Provider(
      issuer: issuer, clientID: clientID, credentials: insecureSharedSecret.map { .sharedSecret($0) } ?? .none,
      transport: transport, nonces: self.dpop.nonces, now: now)
    self.tokenOrigins = Set(tokenOrigins.map(Origin.init))
  }

  /// The client of an installation that registered itself.
  init(
    registration: InstanceRegistration, clientID: String, authentication: ClientAuthentication, appName: String?,
    account: String?, tokenOrigins: [EndpointURL]
  ) {
    self.issuer = registration.issuer
    self.clientID = clientID
    self.appName = appName
    self.account = account.flatMap { $0.isEmpty ? nil : $0 }
    self.store = registration.store
    self.transport = registration.transport
    self.now = registration.now
    self.dpop = registration.dpop
    self.insecureSharedSecret = nil
    self.provider = Provider(
      issuer: registration.issuer, clientID: clientID,
      credentials: .instance(authentication) { await registration.refused(clientID) }, transport: registration.transport,
      nonces: self.dpop.nonces, now: registration.now)
    self.tokenOrigins = Set(tokenOrigins.map(Origin.init))
  }

  /// Signs a person in: binds the receiver, opens the browser, waits, exchanges the code, and stores what came.
  /// - Parameters:
  ///   - scopes: what is asked for; with `openid` the answer's ID token is demanded and verified.
  ///   - resources: the APIs that the tokens shall be for, see ``SignInOptions/resources``; empty where the server has no such choice.
  ///   - userAgent: the person's browser.
  ///   - receiver: waits for the redirect.
  /// - Throws: ``SignInError``
  public func signIn(
    scopes: [Scope], resources: [ResourceIndicator] = [], via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) async throws(SignInError) -> Session {
    try await self.signIn(SignInOptions(scopes: scopes, resources: resources), via: userAgent, receiver: receiver)
  }

  /// Signs a person in, with everything that can be chosen.
  /// - Throws: ``SignInError``
  public func signIn(
    _ options: SignInOptions, via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) async throws(SignInError) -> Session {
    try await self.signIn(options, via: userAgent, receiver: receiver, kind: nil)
  }

  /// Signs a person in on the way that says most about who receives the answer, of those that can be used here.
  ///
  /// Claimed `https` comes before a private-use scheme, that before loopback, and that before a sign-in without a browser (RFC 8252 §7);
  /// of two of a kind the first one. What is passed over is told as ``SignInProgress/skipped(_:)``. Once the person was asked nothing
  /// else is tried.
  /// - Throws: ``SignInError``; ``SignInError/noUsableRedirect(_:)`` where nothing can be used.
  public func signIn(_ options: SignInOptions, redirects: [RedirectOption]) async throws(SignInError) -> Session {
    var skipped: [RedirectFallback] = []
    for kind in RedirectOption.Kind.allCases.sorted(by: >) {
      for redirect in redirects where redirect.kind == kind {
        let fallback: RedirectFallback
        do {
          guard let obstacle = await redirect.obstacle() else { return try await redirect.signIn(self, options) }
          fallback = RedirectFallback(kind, .obstacle(obstacle))
        } catch {
          guard let reason = RedirectFallback(kind, error) else { throw error }
          fallback = reason
        }
        skipped.append(fallback)
        options.progress(.skipped(fallback))
      }
    }
    throw .noUsableRedirect(skipped)
  }

  /// - Parameter kind: what the receiver's redirect URI has to be.
  func signIn(
    _ options: SignInOptions, via userAgent: some UserAgent, receiver: some RedirectReceiver, kind: RedirectOption.Kind?
  ) async throws(SignInError) -> Session {
    do {
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let flow = SignInFlow(client: self, options: options, endpoints: endpoints, userAgent: userAgent)
      let grant = try await receiver.withRedirect(for: self.issuer) { bound in
        if let kind, bound.redirectURI.kind.option != kind {
          throw RedirectReceiverError.failed(reason: "its redirect URI is not of the kind that was offered")
        }
        return try await flow.run(bound)
      }
      return Session(client: self, grant: grant)
    } catch {
      throw SignInError(any: error)
    }
  }

  /// The session that an earlier run left in the store; nil where nobody is signed in. Needs no network.
  /// - Throws: ``SessionError/store(_:)``
  public func restoreSession() async throws(SessionError) -> Session? {
    do {
      return try await self.grants.load().map { Session(client: self, grant: $0) }
    } catch {
      throw .store(error)
    }
  }

  /// This client for another account.
  func with(account: String?) -> OAuthClient {
    var client = self
    client.account = account
    return client
  }

  var grants: GrantStore {
    GrantStore(store: self.store, issuer: self.issuer, clientID: self.clientID, account: self.account)
  }
  var pendingSignIns: PendingSignIns {
    PendingSignIns(store: self.store, issuer: self.issuer, clientID: self.clientID, now: self.now)
  }
  var redirectClaims: RedirectClaims { RedirectClaims(store: self.store, now: self.now) }
}
