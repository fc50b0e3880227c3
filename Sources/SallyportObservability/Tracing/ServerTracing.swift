public import Tracing

/// The tracer for the server's spans. Without a tracer, no spans are created.
public struct ServerTracing: Sendable {
  package let tracer: (any Tracer)?
  /// Whether a request's span continues the trace in the request's header fields.
  package let continuesCallersTraces: Bool

  /// No spans.
  public static let off = ServerTracing(tracer: nil)

  /// - Parameters:
  ///   - tracer: Nil for no spans.
  ///   - continuesCallersTraces: Whether a request's span continues the trace in its header fields. These
  ///     fields decide whether a trace is recorded, so use this only if a gateway of your own sets them in every request.
  public init(tracer: (any Tracer)?, continuesCallersTraces: Bool = false) {
    self.tracer = tracer
    self.continuesCallersTraces = continuesCallersTraces
  }

  /// Uses the tracer that is set for the whole process at the time of this call. If none is set, there are no spans.
  public static func bootstrapped(continuesCallersTraces: Bool = false) -> ServerTracing {
    let tracer = InstrumentationSystem.tracer
    return ServerTracing(tracer: tracer is NoOpTracer ? nil : tracer, continuesCallersTraces: continuesCallersTraces)
  }

  /// Runs `body` in a span. If `body` throws, the span contains the name of the error's case, never its text.
  package func span<R, Failure: Error>(
    _ name: String, attributes: [String: String] = [:], kind: SpanKind = .internal,
    _ body: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    guard let tracer else { return try await body() }
    let span: any Span = Self.start(tracer, name, kind)
    defer { span.end() }
    for (name, value) in attributes { span.attributes[name] = value }
    let result: Result<R, Failure> = await InstrumentationContext.$current.withValue(span.context) {
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    if case .failure(let error) = result {
      span.attributes["error.type"] = Self.kind(of: error)
      span.setStatus(.init(code: .error))
    }
    return try result.get()
  }

  private static func start<T: Tracer>(_ tracer: T, _ name: String, _ kind: SpanKind) -> any Span {
    tracer.startSpan(name, ofKind: kind)
  }

  /// Returns the name of an error's case, for example `unavailable` for `StoreError.unavailable(reason:)`. The error
  /// must be an enumeration without a description of its own.
  private static func kind(of error: any Error) -> String {
    String("\(error)".prefix { $0.isLetter && $0.isASCII })
  }
}
