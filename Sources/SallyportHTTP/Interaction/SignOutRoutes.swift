import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The server's home page, and sign-out, which a user can start or an app can request (OpenID Connect RP-Initiated
/// Logout).
///
/// A signed-in user must always confirm, because otherwise any website could sign users out.
struct SignOutRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookies: ServerCookies
  let chooser: AccountChooser

  static var path: String { "/sign-out" }
  /// The query parameter that contains the app's encrypted request.
  private static var parameter: String { "r" }
  /// The purpose of the form's CSRF token.
  static var purpose: String { "sign-out" }
  private var accountPath: String { self.render.issuer.path + AccountPath.page.rawValue }

  /// - Parameters:
  ///   - router: The router for the routes that other sites may open or post to.
  ///   - forms: The router for the form, which must be posted from the server's own page.
  func add(to router: some RouterMethods<ServerRequestContext>, forms: some RouterMethods<ServerRequestContext>) {
    router.get("/", use: self.home)
    router.get(RouterPath(EndpointPath.endSession), use: self.endSession)
    router.post(RouterPath(EndpointPath.endSession), use: self.endSessionByPost)
    router.get(RouterPath(Self.path), use: self.confirm)
    forms.post(RouterPath(Self.path), use: self.signOut)
  }

  @Sendable func home(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    guard let session = try await self.session(of: request) else {
      let render = self.render.localized(for: request)
      return render.page(render.pages.home(HomePage(accountPath: self.accountPath)))
    }
    let page = HomePage(
      username: session.account.username.value, signOutAction: self.render.issuer.path + Self.path,
      csrfToken: self.csrfToken(session), accountPath: self.accountPath)
    let render = self.render.localized(for: request, account: session.account)
    return render.page(render.pages.home(page))
  }

  /// The end session endpoint (RP-Initiated Logout §2).
  @Sendable func endSession(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let logout = try await self.server.logout.parse(request.uri.query ?? "")
      return try await self.confirmation(of: logout, request)
    } catch {
      return await self.errorResponse(error, request, context)
    }
  }

  /// Accepts a sign-out request by POST.
  ///
  /// A form that another site posts arrives without the session cookie (`SameSite=Lax`), so the response redirects the
  /// browser to a GET request, which includes the cookie. The URL contains the original request only in encrypted form,
  /// because URLs end up in histories and logs.
  @Sendable func endSessionByPost(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let logout = try await self.server.logout.parse(try await request.formText())
      return .redirect(seeOther: "\(self.render.issuer.origin)\(try self.address(of: logout))")
    } catch {
      return await self.errorResponse(error, request, context)
    }
  }

  /// Shows the confirmation page at the address to which its form is posted. A browser opens this address after a POST
  /// to the end session endpoint, or if the user loads the page again after a failed submission.
  @Sendable func confirm(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do { return try await self.confirmation(of: try await self.logoutRequest(request), request) } catch {
      return await self.errorResponse(error, request, context)
    }
  }

  /// Accepts the form of the confirmation page, and ends the session of the account that the page named, or the
  /// sessions of all accounts in this browser.
  @Sendable func signOut(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let logout = try await self.logoutRequest(request)
      let form = try? FormParameters(parsing: try await request.formText())
      let sessions = try await self.sessions(of: request)
      guard !sessions.isEmpty else { return self.alreadySignedOut(logout, request) }
      // The CSRF token belongs to the session that the page named.
      let session = sessions.first {
        self.server.csrfTokens.isValid(form?["csrf"], purpose: Self.purpose, session: $0.record, interaction: nil)
      }
      guard let session else {
        return try await self.confirmation(of: logout, request)
      }
      let endingSessions = form?["accounts"] == "all" ? sessions : [session]
      let cookie = try await self.server.sessions.end(
        self.cookies.session.value(in: request), only: Set(endingSessions.map(\.account.id)), for: logout, from: context.origin)
      // The user has just agreed, so the browser may go to any post-logout redirect URI that the client registered,
      // even if the client asked to sign out a different user (RP-Initiated Logout §2). The redirect tells the client
      // nothing about who was signed in.
      var response: Response
      if let location = logout.location {
        response = .redirect(seeOther: location)
      } else {
        let provider = await self.server.upstreamLogout?.destination(after: endingSessions.map(\.record))
        response = self.signedOut(
          session.account, showsUser: endingSessions.count == 1, logout, request, provider: provider)
      }
      self.cookies.setSession(cookie, on: &response)
      self.chooser.forget(endingSessions.map(\.account.username.value), request, on: &response)
      return response
    } catch {
      return await self.errorResponse(error, request, context)
    }
  }

  // MARK: Requests

  /// Returns the request that the form's address contains; an empty request if no app requested the sign-out.
  private func logoutRequest(_ request: Request) async throws -> LogoutRequest {
    let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
    guard let sealed = query[Self.parameter] else { return LogoutRequest() }
    return try await self.server.logout.open(sealed)
  }

  private func session(of request: Request) async throws -> BrowserSessions.Active? {
    try await self.server.sessions.active(self.cookies.session.value(in: request))
  }

  private func sessions(of request: Request) async throws -> [BrowserSessions.Active] {
    try await self.server.sessions.all(self.cookies.session.value(in: request))
  }

  private func csrfToken(_ session: BrowserSessions.Active) -> String {
    self.server.csrfTokens.token(purpose: Self.purpose, session: session.record, interaction: nil)
  }

  // MARK: Responses

  private func confirmation(of logout: LogoutRequest, _ request: Request) async throws -> Response {
    let sessions = try await self.sessions(of: request)
    guard let session = logout.session(among: sessions) else { return self.alreadySignedOut(logout, request) }
    let page = SignOutPage(
      username: session.account.username.value, appName: logout.client?.name,
      mismatch: Self.mismatch(logout.relation(to: session.record)),
      action: try self.address(of: logout), csrfToken: self.csrfToken(session), hasOtherAccounts: sessions.count > 1,
      stayAction: self.render.issuer.path.isEmpty ? "/" : self.render.issuer.path)
    let render = self.render.localized(for: request, uiLocales: logout.uiLocales, account: session.account)
    return render.page(render.pages.signOut(page), policy: .interaction)
  }

  /// Returns the path of the confirmation page, with the encrypted request if its client is known.
  private func address(of logout: LogoutRequest) throws -> String {
    let path = self.render.issuer.path + Self.path
    return logout.client == nil ? path : "\(path)?\(Self.parameter)=\(try self.server.logout.seal(logout))"
  }

  private static func mismatch(_ relation: LogoutRequest.SessionRelation) -> SignOutPage.Mismatch? {
    switch relation {
    case .sameSession: nil
    case .otherSession: .session
    case .otherUser: .user
    }
  }

  /// Returns the response for a browser in which no user is signed in.
  ///
  /// If an operator registered the app, and the request has a post-logout redirect URI, the response redirects to the
  /// app. A client that no operator registered could abuse an automatic redirect (RFC 9700 §4.11.2, rule S-31). For all
  /// other requests, the response is the page that says that no user is signed in.
  private func alreadySignedOut(_ logout: LogoutRequest, _ request: Request) -> Response {
    if logout.isRegisteredByOperator, let location = logout.location { return .redirect(seeOther: location) }
    return self.signedOut(nil, logout, request)
  }

  /// - Parameters:
  ///   - account: The account that was signed out, which determines the language; nil if no user was signed in.
  ///   - showsUser: Whether the page names this account. False if other accounts were signed out too.
  ///   - provider: The upstream at which the user can also sign out; nil if there is none.
  private func signedOut(
    _ account: AccountRecord?, showsUser: Bool = true, _ logout: LogoutRequest, _ request: Request,
    provider: UpstreamLogout.Destination? = nil
  ) -> Response {
    let render = self.render.localized(for: request, uiLocales: logout.uiLocales, account: account)
    let page = SignedOutPage(
      username: showsUser ? account?.username.value : nil, hadSeveralAccounts: !showsUser,
      provider: provider.map { SignedOutPage.Provider(name: $0.name, url: $0.url) })
    return render.page(render.pages.signedOut(page), policy: .final)
  }

  private func errorResponse(_ error: any Error, _ request: Request, _ context: ServerRequestContext) async -> Response {
    guard let error = error as? LogoutError else { return await self.render.errorResponse(error, request, context) }
    context.logger.notice("sign-out rejected", metadata: ["reason": "\(error)"])
    return await self.render.errorPage(ErrorText(error), request, context)
  }
}
