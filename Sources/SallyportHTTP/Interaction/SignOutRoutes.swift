import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The server's front page and the ways out of the browser's session: the person's own, and at an app's request (OpenID Connect
/// RP-Initiated Logout). The person is always asked: otherwise any page could sign anybody out.
struct SignOutRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookie: SessionCookie
  let hint: PersonCookie

  private static var path: String { "/sign-out" }
  private static var parameter: String { "r" }
  private static var purpose: String { "sign-out" }

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get("/", use: self.home)
    router.get(RouterPath(EndpointPath.endSession), use: self.ask)
    router.post(RouterPath(EndpointPath.endSession), use: self.askByPost)
    router.get(RouterPath(Self.path), use: self.askAgain)
    router.post(RouterPath(Self.path), use: self.signOut)
  }

  @Sendable func home(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    guard let session = try await self.session(of: request) else {
      return self.render.page(self.render.pages.home(HomePage()))
    }
    let page = HomePage(
      username: session.account.username.value, signOutAction: self.render.issuer.path + Self.path,
      csrfToken: self.token(session))
    return self.render.page(self.render.pages.home(page))
  }

  /// RP-Initiated Logout §2.
  @Sendable func ask(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let logout = try await self.server.logout.parse(request.uri.query ?? "")
      return try await self.confirmation(of: logout, request)
    } catch {
      return self.refusal(error, context)
    }
  }

  /// The same request as a POST.
  ///
  /// A form that another site posts arrives without the session cookie (`SameSite=Lax`), so the browser continues with a GET. Its
  /// URL contains the request only in sealed form, because URLs end up in histories and logs.
  @Sendable func askByPost(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let logout = try await self.server.logout.parse(try await request.formText())
      return .redirect(seeOther: "\(self.render.issuer.origin)\(try self.address(of: logout))")
    } catch {
      return self.refusal(error, context)
    }
  }

  /// The address of the form: at the person's own wish, or where a form came back refused.
  @Sendable func askAgain(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do { return try await self.confirmation(of: try await self.logout(request), request) } catch {
      return self.refusal(error, context)
    }
  }

  /// The person agreed.
  @Sendable func signOut(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let logout = try await self.logout(request)
      let form = try? FormParameters(parsing: try await request.formText())
      guard let session = try await self.session(of: request) else { return self.done(logout) }
      guard request.isSameOrigin(as: self.render.issuer),
        self.server.csrfTokens.isValid(form?["csrf"], purpose: Self.purpose, session: session.record, interaction: nil)
      else { return try await self.confirmation(of: logout, request) }
      try await self.server.sessions.end(self.cookie.value(in: request), for: logout, from: context.origin)
      // The person has just pressed the button: they may be sent wherever the client registered. So they may where the client meant
      // somebody else (RP-Initiated Logout §2): a sign-out was done, whoever the client means is not signed in here either, and the
      // address, which is the client's own, tells it nothing about the one who was.
      var response = logout.location.map { Response.redirect(seeOther: $0) } ?? self.signedOut(session.account.username.value)
      self.cookie.clear(on: &response)
      self.hint.clear(on: &response)
      return response
    } catch {
      return self.refusal(error, context)
    }
  }

  // MARK: Reading

  /// What the form's address carries; nothing where no app has asked.
  private func logout(_ request: Request) async throws -> LogoutRequest {
    let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
    guard let sealed = query[Self.parameter] else { return LogoutRequest() }
    return try await self.server.logout.open(sealed)
  }

  private func session(of request: Request) async throws -> BrowserSessions.Active? {
    try await self.server.sessions.active(self.cookie.value(in: request))
  }

  private func token(_ session: BrowserSessions.Active) -> String {
    self.server.csrfTokens.token(purpose: Self.purpose, session: session.record, interaction: nil)
  }

  // MARK: Answers

  private func confirmation(of logout: LogoutRequest, _ request: Request) async throws -> Response {
    guard let session = try await self.session(of: request) else { return self.done(logout) }
    let page = SignOutPage(
      username: session.account.username.value, appName: logout.client?.name, other: Self.other(logout.aim(in: session.record)),
      action: try self.address(of: logout), csrfToken: self.token(session),
      stayAction: self.render.issuer.path.isEmpty ? "/" : self.render.issuer.path)
    return self.render.page(self.render.pages.signOut(page), policy: .interaction)
  }

  /// The path of the page that asks, with the sealed request of an app.
  private func address(of logout: LogoutRequest) throws -> String {
    let path = self.render.issuer.path + Self.path
    return logout.client == nil ? path : "\(path)?\(Self.parameter)=\(try self.server.logout.seal(logout))"
  }

  private static func other(_ aim: LogoutRequest.Aim) -> SignOutPage.Other? {
    switch aim {
    case .here: nil
    case .otherSession: .session
    case .otherPerson: .person
    }
  }

  /// Nobody is signed in: on to the app, where an operator vouched for the address (rule S-31), or the page that says so.
  private func done(_ logout: LogoutRequest) -> Response {
    if logout.isVouchedFor, let location = logout.location { return .redirect(seeOther: location) }
    return self.signedOut(nil)
  }

  private func signedOut(_ username: String?) -> Response {
    self.render.page(self.render.pages.signedOut(SignedOutPage(username: username)), policy: .final)
  }

  private func refusal(_ error: any Error, _ context: ServerRequestContext) -> Response {
    guard let error = error as? LogoutError else { return self.render.refusal(error, context) }
    context.logger.notice("sign-out refused", metadata: ["reason": "\(error)"])
    return self.render.errorPage(RefusalText(error), context)
  }
}
