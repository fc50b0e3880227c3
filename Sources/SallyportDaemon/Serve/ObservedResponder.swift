import Hummingbird
import Logging

/// Lets somebody see each request with its answer, and says in the log which requests a stop has cut off.
struct ObservedResponder<Base: HTTPResponder>: HTTPResponder where Base.Context: RequestContext {
  let base: Base
  let observer: ServerApplication.Observer
  let readiness: Readiness

  func respond(to request: Request, context: Base.Context) async throws -> Response {
    defer { if Task.isCancelled { self.cutOff(request, context) } }
    let response = try await self.base.respond(to: request, context: context)
    self.observer(request, response)
    return response
  }

  /// The route and not the address, as in every line of the log.
  private func cutOff(_ request: Request, _ context: Base.Context) {
    guard self.readiness.isStopping else { return }
    context.logger.warning(
      "request cut off", metadata: ["method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "")"])
  }
}
