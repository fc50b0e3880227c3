import Hummingbird
import SallyportHTTPServer
import SallyportServer

/// Shows an error page instead of the sign-up page if visitors cannot ask for accounts. If nobody can sign up, sign-up
/// links lead to the same error page. Such a link may have been created before the operator changed who can sign up.
///
/// The response does not depend on the token of the link, so it does not reveal whether the link was ever valid.
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
