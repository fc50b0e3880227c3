import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The authorization endpoint (RFC 6749 §3.1).
struct AuthorizationRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookies: ServerCookies

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(EndpointPath.authorization), use: self.authorize)
    router.post(RouterPath(EndpointPath.authorization), use: self.authorizeByPost)
  }

  /// Sends the authorization response if no user interaction is needed; otherwise redirects the user to the first page.
  @Sendable func authorize(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let step = try await self.server.authorization.begin(
        request.uri.query ?? "", cookie: self.cookies.session.value(in: request), origin: context.origin, from: context.address)
      switch step {
      case .response(let response): return self.render.authorizationResponse(response, to: request)
      case .signIn(let interaction), .chooseAccount(let interaction), .consent(let interaction, _):
        return try self.redirect(to: interaction)
      }
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Accepts an authorization request by POST (OpenID Connect Core §3.1.2.1).
  ///
  /// A form that another site posts arrives without the session cookie (`SameSite=Lax`), so the response redirects the
  /// browser to a GET request, which includes the cookie. The URL contains the original request only in encrypted form,
  /// because URLs end up in histories and logs.
  @Sendable func authorizeByPost(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try await request.formText()
      return try self.redirect(to: try await self.server.authorization.receive(form, from: context.address))
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  private func redirect(to interaction: Interaction) throws -> Response {
    .redirect(seeOther: InteractionPath.page.url(try self.server.interactions.seal(interaction), self.render.issuer))
  }
}
