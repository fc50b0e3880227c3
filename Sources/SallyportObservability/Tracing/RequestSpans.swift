import HTTPTypes
package import Hummingbird
import Tracing

/// Creates a span for each request, with the names of OpenTelemetry's semantic conventions.
///
/// A span contains the method, the route, and the status of the response, and nothing else: URLs contain codes, states,
/// and encrypted requests, and header fields contain credentials. Hummingbird's own tracing middleware is not used,
/// because it records the query.
///
/// By default, a span does not continue a trace that the request's header fields name. If it did, the caller would
/// decide which of its requests are recorded. An operator who trusts all callers can turn on the continuation of traces
/// (``ServerTracing``).
package struct RequestSpans<Context: RequestContext>: RouterMiddleware {
  private let tracing: ServerTracing

  package init(tracing: ServerTracing) {
    self.tracing = tracing
  }

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let tracer = self.tracing.tracer else { return try await next(request, context) }
    return try await self.traced(by: tracer, request, context, next)
  }

  private func traced<T: Tracer>(
    by tracer: T, _ request: Request, _ context: Context, _ next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var parent = InstrumentationContext.topLevel
    if self.tracing.continuesCallersTraces { tracer.extract(request.headers, into: &parent, using: FieldExtractor()) }
    let method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
    let span = tracer.startSpan("HTTP \(method)", context: parent, ofKind: .server)
    span.attributes["http.request.method"] = method
    // The status if `next` throws.
    var status = 500
    defer {
      // The route is a template. A request that matches no route has no template.
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
