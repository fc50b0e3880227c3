import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The download of a user's data (``AccountData``).
struct AccountDataRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.data.rawValue), use: self.download)
  }

  /// Sends the data as a file, so that a browser never shows it as a page.
  @Sendable func download(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let cookie = self.requests.cookies.session.value(in: request)
      guard let overview = try await self.requests.server.selfService.overview(cookie) else {
        // The account page asks the user to sign in.
        return self.requests.redirect(to: .page)
      }
      return try Response.json(
        AccountData(overview),
        headers: [
          .contentDisposition: #"attachment; filename="account-data.json""#, .cacheControl: "no-store",
          .crossOriginResourcePolicy: "same-origin",
        ])
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }
}
