import HTTPTypes
import Hummingbird
import Tracing

/// One span for each request, under the names of OpenTelemetry's conventions.
///
/// It says which route was asked for and what came of it, and nothing that came with the request: addresses hold codes, states and
/// sealed requests here, and the fields credentials. (Hummingbird's own middleware records the query.) A caller's trace is continued
/// only where the caller can be trusted, since with it a stranger decides what is recorded.
struct RequestSpans: RouterMiddleware {
  let tracing: ServerTracing

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let tracer = self.tracing.tracer else { return try await next(request, context) }
    return try await self.traced(by: tracer, request, context, next)
  }

  private func traced<T: Tracer>(
    by tracer: T, _ request: Request, _ context: ServerRequestContext,
    _ next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var parent = InstrumentationContext.topLevel
    if self.tracing.continuesCallersTraces { tracer.extract(request.headers, into: &parent, using: FieldExtractor()) }
    let method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
    let span = tracer.startSpan("HTTP \(method)", context: parent, ofKind: .server)
    span.attributes["http.request.method"] = method
    var status = 500
    defer {
      // A route's template; an address that is no route's has none.
      if let route = context.endpointPath, route.hasPrefix("/") {
        span.operationName = "\(method) \(route)"
        span.attributes["http.route"] = route
      }
      span.attributes["http.response.status_code"] = status
      if status >= 500 { span.setStatus(.init(code: .error)) }
      span.end()
    }
    return try await InstrumentationContext.$current.withValue(span.context) {
      let response = try await next(request, context)
      status = Int(response.status.code)
      return response
    }
  }

  private static var methods: [HTTPRequest.Method] { [.get, .head, .post, .put, .patch, .delete, .options] }
}

private struct FieldExtractor: Extractor {
  func extract(key: String, from fields: HTTPFields) -> String? {
    HTTPField.Name(key).flatMap { fields[$0] }
  }
}
