import Hummingbird

/// What every answer has, whichever route gave it: a page for an error that no route has answered, the security headers, the request's
/// identifier, and a line in the log.
///
/// One middleware, since each is a few more steps for every request.
struct EveryAnswer: RouterMiddleware {
  let render: Renderer
  let headers: SecurityHeaders

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    var response: Response
    do { response = try await next(request, context) } catch { response = self.render.refusal(error, context) }
    self.headers.add(to: &response)
    RequestLog.note(request, &response, context, since: start)
    return response
  }
}
