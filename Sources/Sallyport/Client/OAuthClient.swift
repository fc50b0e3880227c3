#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
public import SallyportRemote

/// The client of a native app at one authorization server. It signs users in through their own browser (RFC 8252).
///
/// The client always uses the authorization code grant with PKCE `S256`. The app is a public client and has no secret.
/// The client makes no network requests until it needs to, so you can create one and restore a session offline.
///
/// ```swift
/// let client = OAuthClient(issuer: issuer, clientID: "notes", store: store, transport: transport)
/// let session: OAuthSession
/// if let restored = try await client.restoreSession() {
///   session = restored
/// } else {
///   session = try await client.signIn(scopes: [.openID, .offlineAccess], via: browser, receiver: receiver)
/// }
/// let response = try await session.send(request)
/// ```
public struct OAuthClient: Sendable {
  /// The authorization server's issuer identifier.
  public let issuer: Issuer
  /// The client identifier at the server.
  public let clientID: String
  /// The app's display name, shown on the last page of a sign-in.
  public let appName: String?
  /// The app's name for the account, if it keeps several accounts.
  public private(set) var account: String?

  let store: any TokenStore
  let transport: any Transport
  let now: TimeSource
  let provider: Provider
  let tokenOrigins: Set<Origin>
  let dpop: ClientDPoP
  let insecureSharedSecret: Secret<String>?

  /// Creates a client.
  /// - Parameters:
  ///   - issuer: The authorization server's issuer identifier.
  ///   - clientID: The client identifier that is registered there.
  ///   - store: Where tokens are stored.
  ///   - transport: Sends HTTP requests.
  ///   - appName: The app's display name.
  ///   - account: The app's name for one of several accounts at the same issuer. Each account has its own session.
  ///     `nil` and the empty string both mean the unnamed account.
  ///   - tokenOrigins: The URLs whose origins may receive tokens. ``OAuthSession/send(_:body:limits:)`` sends tokens to no
  ///     other origin. This setting is not sent to the server. A sign-in with ``SignInOptions/resources`` doesn't need
  ///     it, because its tokens go to those resources.
  ///   - dpop: Whether tokens are bound to a key of this installation (RFC 9449).
  ///   - dpopKeys: The source of these keys, for example the Secure Enclave.
  ///   - insecureSharedSecret: A client secret that the server requires even though every installation of the app
  ///     contains it. It is sent with each request, but doesn't authenticate the app (RFC 8252 §8.5). PKCE and all
  ///     other checks still apply, and each sign-in reports ``SignInProgress/sendingSharedSecret``. Omit it if the
  ///     client can be registered as a public client.
  ///   - now: Returns the current time.
  public init(
    issuer: Issuer, clientID: String, store: some TokenStore, transport: some Transport, appName: String? = nil,
    account: String? = nil, tokenOrigins: [EndpointURL] = [], dpop: DPoPPolicy = .whenOffered,
    dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(), insecureSharedSecret: Secret<String>? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.appName = appName
    self.account = account.flatMap { $0.isEmpty ? nil : $0 }
    self.store = store
    self.transport = transport
    let now: TimeSource = { Timestamp(now()) }
    self.now = now
    self.dpop = ClientDPoP(policy: dpop, keys: dpopKeys)
    self.insecureSharedSecret = insecureSharedSecret
    self.provider = Provider(
      issuer: issuer, clientID: clientID, credentials: insecureSharedSecret.map { .sharedSecret($0) } ?? .none,
      transport: transport, nonces: self.dpop.nonces, now: now)
    self.tokenOrigins = Set(tokenOrigins.map(Origin.init))
  }

  /// Creates the client of an installation that registered itself.
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

  /// Signs a user in: binds the receiver, opens the browser, waits for the response, exchanges the code, and stores the
  /// tokens.
  /// - Parameters:
  ///   - scopes: The scopes to request. With `openid`, the response must contain an ID token, which is verified.
  ///   - resources: The APIs that the tokens are for; see ``SignInOptions/resources``. Empty if the server doesn't
  ///     support resource indicators.
  ///   - userAgent: The user's browser.
  ///   - receiver: Waits for the redirect.
  /// - Throws: ``SignInError``
  public func signIn(
    scopes: Scope, resources: [ResourceIndicator] = [], via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) async throws(SignInError) -> OAuthSession {
    try await self.signIn(SignInOptions(scopes: scopes, resources: resources), via: userAgent, receiver: receiver)
  }

  /// Signs a user in with the given options.
  /// - Throws: ``SignInError``
  public func signIn(
    _ options: SignInOptions, via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) async throws(SignInError) -> OAuthSession {
    try await self.signIn(options, via: userAgent, receiver: receiver, kind: nil)
  }

  /// Signs a user in with the first usable redirect option, in order of assurance.
  ///
  /// Claimed `https` URIs come first, then private-use schemes, loopback, and sign-in without a browser (RFC 8252 §7).
  /// Options of the same kind keep their order. An option that cannot be used is skipped and reported as
  /// ``SignInProgress/skipped(_:)``. After an option has shown something to the user, no other option is tried.
  /// - Throws: ``SignInError``; ``SignInError/noUsableRedirect(_:)`` if no option can be used.
  public func signIn(_ options: SignInOptions, redirects: [RedirectOption]) async throws(SignInError) -> OAuthSession {
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

  /// - Parameter kind: The kind that the receiver's redirect URI must have.
  func signIn(
    _ options: SignInOptions, via userAgent: some UserAgent, receiver: some RedirectReceiver, kind: RedirectOption.Kind?
  ) async throws(SignInError) -> OAuthSession {
    do {
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let flow = SignInFlow(client: self, options: options, endpoints: endpoints, userAgent: userAgent)
      let tokenSet = try await receiver.withRedirect(for: self.issuer) { bound in
        if let kind, bound.redirectURI.kind.option != kind {
          throw RedirectReceiverError.failed(reason: "its redirect URI is not of the offered kind")
        }
        return try await flow.run(bound)
      }
      return OAuthSession(client: self, tokenSet: tokenSet)
    } catch {
      throw SignInError(any: error)
    }
  }

  /// Restores the session that an earlier run left in the store, without network access.
  /// - Returns: `nil` if no user is signed in.
  /// - Throws: ``SessionError/store(_:)``
  public func restoreSession() async throws(SessionError) -> OAuthSession? {
    do {
      return try await self.tokenSets.load().map { OAuthSession(client: self, tokenSet: $0) }
    } catch {
      throw .store(error)
    }
  }

  /// Returns a copy of this client for another account.
  func with(account: String?) -> OAuthClient {
    var client = self
    client.account = account
    return client
  }

  var tokenSets: TokenSetStore {
    TokenSetStore(store: self.store, issuer: self.issuer, clientID: self.clientID, account: self.account)
  }
  var pendingSignIns: PendingSignIns {
    PendingSignIns(store: self.store, issuer: self.issuer, clientID: self.clientID, now: self.now)
  }
  var redirectClaims: RedirectClaims { RedirectClaims(store: self.store, now: self.now) }
}
