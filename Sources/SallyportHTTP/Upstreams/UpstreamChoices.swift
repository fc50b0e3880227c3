import Hummingbird
import SallyportHTTPServer
import SallyportLook
import SallyportServer

/// A middleware that finds the providers that the sign-in pages offer.
struct UpstreamChoices: RouterMiddleware {
  let signIn: UpstreamSignIn

  func handle(
    _ request: Request, context: ServerRequestContext,
    next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    // If the store is not available, the page itself says so.
    let choices = (try? await self.signIn.choices()) ?? []
    guard !choices.isEmpty else { return try await next(request, context) }
    let current = choices.map { UpstreamChoice(id: $0.id, name: DisplayText.clean($0.name) ?? $0.id) }
    return try await UpstreamChoice.$current.withValue(current) { try await next(request, context) }
  }
}
