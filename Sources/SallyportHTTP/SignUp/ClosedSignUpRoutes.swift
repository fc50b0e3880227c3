import Hummingbird
import SallyportHTTPServer
import SallyportServer

/// Responds to the sign-up page while users cannot create accounts by themselves, and to mailed sign-up links while
/// sign-up is off. The links may be older than that setting.
///
/// The response does not depend on the token of the link.
struct ClosedSignUpRoutes: Sendable {
  let requests: AccountRequests
  let paths: [AccountPath]

  func add(to router: some RouterMethods<ServerRequestContext>) {
    for path in self.paths {
      router.get(RouterPath(path.rawValue), use: self.page)
      router.post(RouterPath(path.rawValue), use: self.page)
    }
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    await self.requests.closedSignUp(request, context)
  }
}
