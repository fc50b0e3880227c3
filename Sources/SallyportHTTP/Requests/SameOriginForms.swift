import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol

/// Rejects forms that were not posted from one of the server's own pages (RFC 6749 §10.12).
///
/// The error page names the issuer, because the user may also have opened the server's pages at another address. For
/// example, `http://127.0.0.1:8080` shows the pages of the issuer `http://localhost:8080`, but does not accept their
/// forms. See docs/decisions/0028-csrf-protection.md.
struct SameOriginForms: RouterMiddleware {
  let render: Renderer

  func handle(
    _ request: Request, context: ServerRequestContext,
    next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard request.method == .post, !self.isFromOwnPage(request) else { return try await next(request, context) }
    context.logger.notice("form from another origin rejected")
    let text = ErrorText(
      status: .forbidden, title: .errorOrigin, explanation: .errorOriginExplanation, advice: .errorOriginAdvice)
    return await self.render.errorPage(text, request, context)
  }

  /// Browsers send `Origin` with a form. If the field is missing, for example because a proxy removed it,
  /// `Sec-Fetch-Site` decides. For a request with neither field, the result is false.
  private func isFromOwnPage(_ request: Request) -> Bool {
    if let origin = request.headers[.origin] { return origin == self.render.issuer.origin }
    return request.headers[.secFetchSite] == "same-origin"
  }
}
