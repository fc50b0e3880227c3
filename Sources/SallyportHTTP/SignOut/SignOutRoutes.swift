import Hummingbird
import SallyportProtocol
import SallyportServer

/// The server's front page and the way out of the browser's session.
struct SignOutRoutes<S: Store>: Sendable {
  let server: AuthorizationServer<S>
  let render: Renderer
  let cookie: SessionCookie
  let hint: PersonCookie

  private static var path: String { "/sign-out" }

  func add(to router: some RouterMethods<BasicRequestContext>) {
    router.get("/", use: self.home)
    router.get(RouterPath(Self.path), use: self.confirm)
    router.post(RouterPath(Self.path), use: self.signOut)
  }

  @Sendable func home(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    guard let session = try await self.server.sessions.active(self.cookie.value(in: request)) else {
      return self.render.page(self.render.pages.home(HomePage()))
    }
    let page = HomePage(
      username: session.account.username.value, signOutAction: self.action, csrfToken: self.token(session))
    return self.render.page(self.render.pages.home(page))
  }

  @Sendable func confirm(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    guard let session = try await self.server.sessions.active(self.cookie.value(in: request)) else {
      return self.render.page(self.render.pages.signedOut(SignedOutPage()))
    }
    let page = SignOutPage(
      username: session.account.username.value, action: self.action, csrfToken: self.token(session),
      stayAction: "\(self.render.issuer.path)/")
    return self.render.page(self.render.pages.signOut(page))
  }

  @Sendable func signOut(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let form = try? FormParameters(parsing: try await request.formText())
    let value = self.cookie.value(in: request)
    guard let session = try await self.server.sessions.active(value) else {
      return self.render.page(self.render.pages.signedOut(SignedOutPage()))
    }
    guard request.isSameOrigin(as: self.render.issuer),
      self.server.formTokens.isValid(form?["csrf"], purpose: "sign-out", session: session.record, interaction: nil)
    else { return try await self.confirm(request, context) }
    try await self.server.sessions.end(value)
    var response = self.render.page(self.render.pages.signedOut(SignedOutPage(username: session.account.username.value)))
    self.cookie.clear(on: &response)
    self.hint.clear(on: &response)
    return response
  }

  private var action: String { self.render.issuer.path + Self.path }

  private func token(_ session: BrowserSessions<S>.Active) -> String {
    self.server.formTokens.token(purpose: "sign-out", session: session.record, interaction: nil)
  }
}
