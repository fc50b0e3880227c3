import HTTPTypes
import Hummingbird
import Logging
import SallyportProtocol
import SallyportServer

/// Signing out at an app's request, OpenID Connect RP-Initiated Logout. The person is always asked: otherwise any page could sign
/// anybody out.
struct LogoutRoutes<S: Store>: Sendable {
  let server: AuthorizationServer<S>
  let render: Renderer
  let cookie: SessionCookie
  let hint: PersonCookie

  private static var confirmation: String { EndpointPath.endSession + "/confirm" }
  private static var parameter: String { "r" }
  private static var purpose: String { "app sign-out" }

  func add(to router: some RouterMethods<BasicRequestContext>) {
    router.get(RouterPath(EndpointPath.endSession), use: self.ask)
    router.post(RouterPath(EndpointPath.endSession), use: self.askByPost)
    router.post(RouterPath(Self.confirmation), use: self.signOut)
  }

  @Sendable func ask(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    do {
      let logout = try await self.server.logout.parse(request.uri.query ?? "")
      guard let session = try await self.server.sessions.active(self.cookie.value(in: request)) else {
        return self.done(logout, username: nil)
      }
      return try self.confirmationPage(logout, session)
    } catch {
      return self.refusal(error, context)
    }
  }

  /// RP-Initiated Logout §2. A form that another site posts comes without the session cookie (`SameSite=Lax`).
  @Sendable func askByPost(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    guard let form = try? await request.formText(),
      form.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
    else { return self.refusal(LogoutError.malformed, context) }
    return .redirect(seeOther: "\(self.render.issuer.url(appending: EndpointPath.endSession))?\(form)")
  }

  /// The person agreed.
  @Sendable func signOut(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    do {
      let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
      let logout = try await self.server.logout.open(query[Self.parameter] ?? "")
      let form = try? FormParameters(parsing: try await request.formText())
      let value = self.cookie.value(in: request)
      guard let session = try await self.server.sessions.active(value) else { return self.done(logout, username: nil) }
      guard request.isSameOrigin(as: self.render.issuer),
        self.server.formTokens.isValid(form?["csrf"], purpose: Self.purpose, session: session.record, interaction: nil)
      else { return try self.confirmationPage(logout, session) }
      try await self.server.sessions.end(value)
      // The person has just pressed the button: they may be sent wherever the client registered.
      var response =
        logout.location.map { Response.redirect(seeOther: $0) } ?? self.done(logout, username: session.account.username.value)
      self.cookie.clear(on: &response)
      self.hint.clear(on: &response)
      return response
    } catch {
      return self.refusal(error, context)
    }
  }

  // MARK: Answers

  private func confirmationPage(_ logout: LogoutRequest, _ session: BrowserSessions<S>.Active) throws -> Response {
    let sealed = try self.server.logout.seal(logout)
    let page = SignOutPage(
      username: session.account.username.value, appName: logout.client?.name,
      action: "\(self.render.issuer.path)\(Self.confirmation)?\(Self.parameter)=\(sealed)",
      csrfToken: self.server.formTokens.token(purpose: Self.purpose, session: session.record, interaction: nil),
      stayAction: "\(self.render.issuer.path)/")
    return self.render.page(self.render.pages.signOut(page), formAction: logout.redirectURI)
  }

  /// Nobody is signed in: on to the app, where an operator vouched for the address (rule S-31), or the page that says so.
  private func done(_ logout: LogoutRequest, username: String?) -> Response {
    if logout.isVouchedFor, let location = logout.location { return .redirect(seeOther: location) }
    return self.render.page(self.render.pages.signedOut(SignedOutPage(username: username)))
  }

  private func refusal(_ error: any Error, _ context: BasicRequestContext) -> Response {
    guard let error = error as? LogoutError else { return self.render.refusal(error, context) }
    context.logger.notice("sign-out refused", metadata: ["reason": "\(error)"])
    return self.render.errorPage(RefusalText(error), context)
  }
}
