import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The page on which users switch between the accounts of this browser, sign in with another one, or sign out.
struct AccountChooserRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.accounts.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.accounts.rawValue), use: self.choose)
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let sessions = try await self.sessions(of: request)
      let entries = self.requests.chooser.entries(sessions, request)
      // Without accounts to choose from, redirect to the account page (`.page`), which asks the user to sign in.
      if entries.isEmpty { return self.requests.redirect(to: .page) }
      let page = AccountChooserPage(
        entries: entries, action: self.requests.path(.accounts), csrfToken: self.requests.csrfToken(.accounts, sessions.first),
        otherAccountAction: self.requests.render.issuer.path + self.requests.signInAddress(.signIn, .anotherAccount),
        signsOutAll: !sessions.isEmpty, accountAction: sessions.isEmpty ? nil : self.requests.path(.page))
      let render = self.requests.render.localized(for: request)
      return render.page(render.pages.accountChooser(page), policy: .standalone)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Handles the form: switches to an account, asks for a sign-in to an account that is not signed in, removes an
  /// account from the browser, or signs out all accounts. If the CSRF token is invalid, or the browser does not have
  /// the chosen account, nothing changes, and the page is shown again.
  @Sendable func choose(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let sessions = try await self.sessions(of: request)
      guard self.requests.isValid(form, .accounts, sessions.first) else { return self.redirectToChooser() }
      if form["sign-out"] != nil { return try await self.signOut(sessions, request, context) }
      if let name = form[AccountChooser.Field.remove.rawValue] {
        var response = self.redirectToChooser()
        try await self.requests.chooser.remove(name, sessions, request, context, on: &response)
        return response
      }
      switch self.requests.chooser.choice(form, sessions, request) {
      case .session(let session):
        let cookie = try await self.requests.server.sessions.cookie(
          self.requests.cookies.session.value(in: request), startingWith: session.account.id)
        var response = self.requests.redirect(to: .page)
        if let cookie { self.requests.cookies.setSession(cookie, on: &response) }
        return response
      case .name(let name): return try await self.requests.signInPage(for: .anotherAccount, nil, username: name, request)
      case nil: return self.redirectToChooser()
      }
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Signs out all accounts of this browser, and removes their names from the browser.
  private func signOut(
    _ sessions: [BrowserSessions.Active], _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    let cookie = self.requests.cookies.session.value(in: request)
    try await self.requests.server.sessions.end(cookie, for: LogoutRequest(), from: context.origin)
    let render = self.requests.render.localized(for: request)
    let page = SignedOutPage(hadSeveralAccounts: sessions.count > 1)
    var response = render.page(render.pages.signedOut(page), policy: .final)
    self.requests.cookies.setSession(nil, on: &response)
    self.requests.chooser.forget(sessions.map(\.account.username.value), request, on: &response)
    return response
  }

  private func sessions(of request: Request) async throws -> [BrowserSessions.Active] {
    try await self.requests.server.sessions.all(self.requests.cookies.session.value(in: request))
  }

  private func redirectToChooser() -> Response {
    .redirect(seeOther: self.requests.render.issuer.url(appending: AccountPath.accounts.rawValue))
  }
}
