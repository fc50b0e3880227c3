import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The authorization endpoint, RFC 6749 §3.1.
struct AuthorizationRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookie: SessionCookie

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(EndpointPath.authorization), use: self.authorize)
    router.post(RouterPath(EndpointPath.authorization), use: self.authorizeByPost)
  }

  /// A request comes in: the person is answered at once, or led to the first page.
  @Sendable func authorize(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let step = try await self.server.authorization.begin(
        request.uri.query ?? "", cookie: self.cookie.value(in: request), from: context.origin, at: context.address)
      switch step {
      case .answer(let answer): return self.render.answer(answer)
      case .signIn(let interaction), .consent(let interaction, _):
        return .redirect(seeOther: InteractionPath.page.url(try self.server.interactions.seal(interaction), self.render.issuer))
      }
    } catch {
      return self.render.refusal(error, context)
    }
  }

  /// The same request as a POST, OpenID Connect Core §3.1.2.1.
  ///
  /// A form that another site posts arrives without the session cookie (`SameSite=Lax`), so the browser continues with a GET. Its
  /// URL contains the request only in sealed form, because URLs end up in histories and logs.
  @Sendable func authorizeByPost(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let interaction = try await self.server.authorization.receive(try await request.formText(), at: context.address)
      return .redirect(seeOther: InteractionPath.page.url(try self.server.interactions.seal(interaction), self.render.issuer))
    } catch {
      return self.render.refusal(error, context)
    }
  }
}
