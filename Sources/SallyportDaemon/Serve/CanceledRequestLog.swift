import Hummingbird
import Logging

/// Logs the requests that were canceled because the shutdown exceeded its time limit.
struct CanceledRequestLog<Base: HTTPResponder>: HTTPResponder where Base.Context: RequestContext {
  let base: Base
  let readiness: Readiness

  func respond(to request: Request, context: Base.Context) async throws -> Response {
    defer { if Task.isCancelled { self.log(request, context) } }
    return try await self.base.respond(to: request, context: context)
  }

  /// Logs the route. The path and query are never logged, because they can contain codes and tokens.
  private func log(_ request: Request, _ context: Base.Context) {
    guard self.readiness.isStopping else { return }
    context.logger.warning(
      "request canceled by the shutdown",
      metadata: ["method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "")"])
  }
}
