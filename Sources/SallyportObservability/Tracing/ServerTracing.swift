public import Tracing

/// Who hears of the server's spans. Where nobody does, they cost nothing.
public struct ServerTracing: Sendable {
  package let tracer: (any Tracer)?
  package let continuesCallersTraces: Bool

  /// No spans.
  public static let off = ServerTracing(tracer: nil)

  /// - Parameters:
  ///   - tracer: nil for none.
  ///   - continuesCallersTraces: whether a request's span is part of the trace that its fields name. Only for servers that none but one's
  ///     own gateway reaches: to whom else could the caller's word on what is recorded be left?
  public init(tracer: (any Tracer)?, continuesCallersTraces: Bool = false) {
    self.tracer = tracer
    self.continuesCallersTraces = continuesCallersTraces
  }

  /// With the tracer that the process has set, which is to be done before.
  public static func bootstrapped(continuesCallersTraces: Bool = false) -> ServerTracing {
    let tracer = InstrumentationSystem.tracer
    return ServerTracing(tracer: tracer is NoOpTracer ? nil : tracer, continuesCallersTraces: continuesCallersTraces)
  }

  /// Runs `body` in a span of its own. An error is told by its kind, never by its text.
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

  /// `unavailable` of `StoreError.unavailable(reason:)`.
  private static func kind(of error: any Error) -> String {
    String("\(error)".prefix { $0.isLetter && $0.isASCII })
  }
}
