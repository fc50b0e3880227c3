import Hummingbird

/// Gives every error that no route has answered the page that people know.
struct ErrorPages: RouterMiddleware {
  let render: Renderer

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    do { return try await next(request, context) } catch { return self.render.refusal(error, context) }
  }
}
