package import SallyportProtocol
import SallyportRemote

/// Signs users in through upstreams, which are other OpenID providers (RFC 8252 §4.1).
///
/// No transaction is open during a request to a provider, so a slow provider does not delay other users.
package struct UpstreamSignIn: Sendable {
  let store: any Store
  let cache: ConfigurationCache
  let issuer: Issuer
  let providers: UpstreamProviders
  let requests: UpstreamRequests
  let secrets: UpstreamSecrets
  let accounts: FederatedAccounts
  let sessions: BrowserSessions
  let secondFactors: SecondFactorSignIn
  let changePolicy: SensitiveChangePolicy
  let rejections: AuditRejections
  let now: TimeSource

  /// The lifetime of the cookie that binds requests to a browser.
  package static var cookieLifetime: Duration { UpstreamRequests.lifetime }

  package enum Beginning: Sendable {
    /// - Parameters:
    ///   - url: The authorization request for the provider.
    ///   - browserCookie: The cookie that must accompany the response.
    case redirect(url: String, browserCookie: Secret<String>)
    /// - Parameter name: The name of the upstream.
    case failed(UpstreamFailure, name: String)
    /// There is no enabled upstream with this identifier.
    case unknown
  }

  package enum Outcome: Sendable {
    /// - Parameter session: The cookie of the new session.
    case signedIn(AccountRecord, session: SessionCookie, UpstreamPurpose)
    /// The user must complete the sign-in with a code of a second factor.
    case code(SecondFactorSignIn.Challenge, UpstreamPurpose)
    /// The identity was connected with the account of the session.
    case connected(UpstreamPurpose)
    /// - Parameter name: The name of the upstream, or its identifier if it is no longer enabled.
    case failed(UpstreamFailure, name: String, UpstreamPurpose, UpstreamTokenError? = nil)
    /// The response belongs to no request, or to a request that has expired, was used before, or began in another
    /// browser. The user must start again.
    case unknownRequest
  }

  /// Returns the upstreams through which users can sign in.
  /// - Parameter account: If not nil, only the upstreams that are connected with this account, and all multitenant
  ///   upstreams, are returned.
  package func choices(connectedWith account: AccountID? = nil) async throws(StoreError) -> [UpstreamRecord] {
    let upstreams = try await self.cache.upstreams().filter { $0.disabledAt == nil }
    guard let account, !upstreams.isEmpty else { return upstreams }
    let identities = try await self.store.read { (tx) throws(StoreError) in try tx.federatedIdentities(of: account) }
    let issuers = Set(identities.map(\.issuer))
    // A multitenant provider is always included, because its identities have the issuers of their tenants.
    return upstreams.filter { issuers.contains($0.issuer) || $0.details.tenantIssuer != nil }
  }

  private func upstream(_ id: String) async throws(StoreError) -> Upstream? {
    try await self.choices().first { $0.id == id }.flatMap { Upstream($0, of: self.issuer) }
  }

  /// Prepares an authorization request for an upstream.
  /// - Parameters:
  ///   - id: The identifier of the upstream.
  ///   - hints: The parameters to pass on to the provider, and how new the resulting session must be.
  ///   - cookie: The browser's cookie of an earlier request; nil if there is none.
  ///   - address: The client address of the browser.
  package func begin(
    _ id: String, for purpose: UpstreamPurpose, _ hints: UpstreamHints, browserCookie cookie: String?,
    from address: ClientAddress
  ) async throws(StoreError) -> Beginning {
    guard let upstream = try await self.upstream(id) else { return .unknown }
    let provider: UpstreamProviders.Provider
    do throws(UpstreamFailure) { provider = try await self.providers.provider(of: upstream) } catch {
      return .failed(error, name: upstream.name)
    }
    // A valid cookie is kept, because it also binds requests that the browser began in other tabs.
    let browser = cookie.flatMap { Base64URL.decode($0)?.count == 32 ? $0 : nil } ?? RandomText.base64URL(bits: 256)
    let (verifier, nonce, now) = (CodeVerifier.random(), RandomText.base64URL(bits: 256), self.now())
    let content = UpstreamRequests.Content(
      upstream: upstream.id, issuer: upstream.issuer.value, nonce: nonce, codeVerifier: verifier.text.reveal(),
      browser: UpstreamRequests.fingerprint(ofBrowser: browser), purpose: purpose, startedAt: now,
      needsNewAuthentication: hints.needsNewAuthentication, maxAge: hints.prompt.contains(.login) ? nil : hints.maxAge,
      needsNewSession: hints.needsNewSession, needsNewSessionWithCode: hints.needsNewSessionWithCode)
    guard let state = try await self.requests.insert(content, from: address) else {
      return .failed(.throttled, name: upstream.name)
    }
    var request = AuthorizationRequest(
      clientID: upstream.record.clientID, redirectURI: upstream.redirectURI,
      scope: Scope((["openid"] + upstream.record.details.scopes).joined(separator: " ")) ?? .openID, state: state.reveal(),
      codeChallenge: verifier.challenge, nonce: nonce)
    request.prompt = hints.prompt
    request.loginHint = hints.loginHint
    request.uiLocales = hints.locales
    if hints.needsNewAuthentication { request.maxAge = .seconds(content.maxAge ?? 0) }
    return .redirect(url: request.url(at: provider.metadata.authorizationEndpoint), browserCookie: Secret(browser))
  }

  /// Handles an upstream's response.
  /// - Parameters:
  ///   - id: The identifier in the redirect URI that received the response.
  ///   - query: The query of the response.
  ///   - cookie: The cookie that was set when the sign-in began.
  package func finish(
    _ id: String, query: String, browserCookie cookie: String?, _ browser: SignInBrowser, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    guard let form = try? FormParameters(parsing: query),
      let request = try await self.requests.consume(state: form["state"], upstream: id, browserCookie: cookie)
    else { return .unknownRequest }
    guard let upstream = try await self.upstream(id) else { return .failed(.unavailable, name: id, request.purpose) }
    let outcome: Outcome
    do throws(UpstreamFailure) {
      outcome = try await self.finish(form, request, upstream, browser, from: origin)
    } catch {
      outcome = .failed(error, name: upstream.name, request.purpose)
    }
    if case .failed(let failure, _, _, _) = outcome, failure == .invalid || failure == .notFresh {
      self.rejections.note(.signInRejected, .wrongUpstreamResponse, subject: id, from: origin)
    }
    return outcome
  }

  private func finish(
    _ form: FormParameters, _ request: UpstreamRequests.Content, _ upstream: Upstream, _ browser: SignInBrowser,
    from origin: AuditOrigin
  ) async throws(UpstreamFailure) -> Outcome {
    guard upstream.issuer.value == request.issuer else { throw .invalid }
    let provider = try await self.providers.provider(of: upstream)
    guard UpstreamExchange.isIssuerValid(form, provider.metadata) else { throw .invalid }
    if let error = form["error"] {
      throw ["server_error", "temporarily_unavailable"].contains(error) ? .unavailable : .denied
    }
    guard let code = form["code"] else { throw .invalid }
    let exchange = UpstreamExchange(upstream: upstream, provider: provider, secrets: self.secrets, now: self.now)
    let result: UpstreamExchange.Result
    switch try await exchange.run(code: code, request) {
    case .success(let success): result = success
    case .failed(let failure, let tokenError):
      return .failed(failure, name: upstream.name, request.purpose, tokenError)
    }
    do throws(StoreError) {
      if request.purpose.page == .connection {
        // Some providers return the name by which the user recognizes the identity only at the userinfo endpoint. The
        // identity is also connected without a name.
        let user = (try? await exchange.complete(result)) ?? result.user
        return try await self.connect(user, request.purpose, upstream, from: origin)
      }
      var user = result.user
      let connected = try await self.accounts.connected(user)
      // If the purpose names an account, the user confirms a change to this account. A confirmation never creates an
      // account or connects an identity.
      if let expected = request.purpose.account, connected?.id != expected {
        self.rejections.note(.signInRejected, .otherUser, account: expected, subject: upstream.id, from: origin)
        return .failed(.otherUser, name: upstream.name, request.purpose)
      }
      if connected == nil {
        // A new account may need claims that only the userinfo endpoint returns.
        do throws(UpstreamFailure) { user = try await exchange.complete(result) } catch {
          return .failed(error, name: upstream.name, request.purpose)
        }
      }
      switch try await self.accounts.account(of: user, upstream, from: origin) {
      case .failure(let failure): return self.reject(failure, upstream, request.purpose, from: origin)
      case .success(let account): return try await self.signIn(account, user, request, upstream, browser, from: origin)
      }
    } catch {
      // The code was redeemed, so the user must start again in any case.
      throw .unavailable
    }
  }

  private func reject(
    _ failure: UpstreamFailure, _ upstream: Upstream, _ purpose: UpstreamPurpose, account: AccountID? = nil,
    from origin: AuditOrigin
  ) -> Outcome {
    let reason: AuditReason = failure == .noAccount ? .unknownAccount : .accountDisabled
    self.rejections.note(.signInRejected, reason, account: account, subject: upstream.id, from: origin)
    return .failed(failure, name: upstream.name, purpose)
  }

  /// Starts a session, or asks for a code. A code that the account requires at each sign-in is required even if the
  /// upstream has checked two factors.
  private func signIn(
    _ account: AccountRecord, _ user: FederatedUser, _ request: UpstreamRequests.Content, _ upstream: Upstream,
    _ browser: SignInBrowser, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let purpose = request.purpose
    guard account.disabledAt == nil else {
      return self.reject(.accountRejected, upstream, purpose, account: account.id, from: origin)
    }
    let hasTwoFactors = user.context.map { upstream.record.details.twoFactorContexts.contains($0) } ?? false
    // On the account page, two factors of the upstream do not replace the account's own factor.
    let prefersCode = purpose.wantsCode && (purpose.page == .account || !hasTwoFactors)
    let now = self.now()
    // A code does not make the session newer than the sign-in at the upstream.
    let timeWithCode = self.authenticationTime(
      of: user, request, needsNewSession: request.needsNewSessionWithCode ?? request.needsNewSession, at: now)
    let step = try await self.secondFactors.nextStep(
      afterUpstreamFor: account, user.session, at: timeWithCode ?? now, interaction: purpose.interaction,
      prefersCode: prefersCode)
    if let step {
      return timeWithCode == nil ? .failed(.notFresh, name: upstream.name, purpose) : .code(step, purpose)
    }
    let methods = hasTwoFactors ? AuthenticationContext.federatedTwoFactors : AuthenticationContext.federated
    guard
      let time = self.authenticationTime(of: user, request, needsNewSession: request.needsNewSession, at: now)
    else { return .failed(.notFresh, name: upstream.name, purpose) }
    let cookie = try await self.sessions.start(
      for: account, by: methods, at: time, replacing: browser.sessionCookie, from: origin, userAgent: browser.userAgent,
      upstream: user.session, isOnPublicDevice: purpose.isOnPublicDevice,
      confirm: self.secondFactors.confirmation(of: methods, for: account))
    guard let cookie else { return .failed(.accountRejected, name: upstream.name, purpose) }
    return .signedIn(account, session: cookie, purpose)
  }

  /// Returns the `auth_time` of the new session: the time at which the user signed in at the provider or, if the
  /// provider does not say, now.
  ///
  /// If the provider was asked to authenticate the user again (`prompt=login`), it did so after the request. A time
  /// before the request then means that the clocks of the two servers differ, and is replaced by the time of the
  /// request if the difference is at most ``UpstreamExchange/leeway``.
  /// - Parameter needsNewSession: Whether the session's `auth_time` must not be earlier than the request.
  /// - Returns: Nil if the user signed in too early. With `prompt=login`, this means more than the leeway before the
  ///   request. Otherwise, it means before the request, and applies only if `needsNewSession` is true.
  private func authenticationTime(
    of user: FederatedUser, _ request: UpstreamRequests.Content, needsNewSession: Bool, at now: Timestamp
  ) -> Timestamp? {
    let time = min(user.authenticatedAt ?? now, now)
    guard time < request.startedAt else { return time }
    if request.needsNewAuthentication, request.maxAge == nil {
      return request.startedAt - time <= .seconds(UpstreamExchange.leeway) ? request.startedAt : nil
    }
    return needsNewSession ? nil : time
  }

  /// Connects an identity with the account of the session in which the user asked for it.
  private func connect(
    _ user: FederatedUser, _ purpose: UpstreamPurpose, _ upstream: Upstream, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    guard let bytes = purpose.session.flatMap({ Base64URL.decode($0) }), bytes.count == 32 else { return .unknownRequest }
    let (changePolicy, now) = (self.changePolicy, self.now())
    let failure = try await self.store.write { (tx) throws(StoreError) -> UpstreamFailure? in
      let fingerprint = Fingerprint(bytes: bytes)
      guard case .granted(let session, let account) = try changePolicy.permission(tx, session: fingerprint, at: now) else {
        return .sessionEnded
      }
      if let identity = try tx.federatedIdentity(issuer: user.issuer, subject: user.subject) {
        return identity.account == account.id ? nil : .otherUser
      }
      try FederatedAccounts.connect(
        user, with: account.id, upstream, .user, session: session.id, from: origin, at: now, in: &tx)
      return nil
    }
    return failure.map { .failed($0, name: upstream.name, purpose) } ?? .connected(purpose)
  }
}
