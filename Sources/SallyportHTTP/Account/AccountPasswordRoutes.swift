import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The page on which a signed-in user changes the password, and the well-known address that leads there.
struct AccountPasswordRoutes: Sendable {
  let requests: AccountRequests

  /// - Parameter root: The router for paths at the root of the issuer's host.
  func add(to router: some RouterMethods<ServerRequestContext>, root: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.password.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.password.rawValue), use: self.change)
    // Password managers open this address (W3C, A Well-Known URL for Changing Passwords).
    root.get("/.well-known/change-password") { _, _ in self.requests.redirect(to: .password) }
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      guard let session = try await self.requests.session(of: request) else {
        return try await self.requests.signInPage(for: .password, nil, request)
      }
      guard try await self.requests.permits(.password, session) else {
        return self.requests.redirectToSignIn(for: .password)
      }
      return try await self.response(nil, session, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Sets the new password. This browser stays signed in, with a new session. The user is signed out everywhere else.
  @Sendable func change(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.password, requiringRecentSignInFor: .password, request, context) { form, session in
      guard let proof = self.requests.server.passwordSignIn.changeProof(for: session) else {
        return self.requests.redirect(with: .expired, session)
      }
      switch try await self.requests.signInForms.changePassword(form, proof: proof, request, context) {
      // The proof was rejected, or no session could be started. `code` never occurs, because the change asks for no
      // code.
      case .failed, .code: return self.requests.redirectToSignIn(for: .password)
      case .passwordChange(let change): return try await self.response(change.failure, session, request)
      case .signedIn(_, let credentials):
        let token = try await self.statusToken(credentials)
        var response =
          token.map { self.requests.redirect(with: .passwordChanged, token: $0) } ?? self.requests.redirect(to: .page)
        self.requests.signInForms.set(credentials, on: &response)
        return response
      }
    }
  }

  /// Returns the CSRF token for the redirect to the account page. The page shows that the password was changed only if
  /// the token is valid. The token belongs to the new session; nil if this session has already ended.
  private func statusToken(_ credentials: SignInForms.Credentials) async throws -> String? {
    try await self.requests.server.sessions.active(credentials.session.reveal()).map { session in
      self.requests.csrfToken(.status, session, AccountStatus.passwordChanged.rawValue)
    }
  }

  private func response(
    _ failure: ChangePasswordPage.Failure?, _ session: BrowserSessions.Active, _ request: Request
  ) async throws -> Response {
    let policy = try await self.requests.server.accounts.policy(for: session.account)
    let page = ChangePasswordPage(
      username: session.account.username.value, failure: failure,
      minimumLength: policy.minimumLength, action: self.requests.path(.password),
      csrfToken: self.requests.csrfToken(.password, session), proof: nil, isFirst: !session.account.hasPassword,
      // The text of the link is "Keep the current password", so a user without a password sees no link.
      cancelAction: session.account.hasPassword ? self.requests.path(.page) : nil)
    let render = self.requests.render.localized(for: request, account: session.account)
    return render.changePassword(page, policy: .standalone)
  }
}
