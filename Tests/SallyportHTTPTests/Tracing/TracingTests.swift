import HTTPTypes
import InMemoryTracing
import SallyportObservability
import SallyportProtocol
import SallyportRemote
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import Tracing

@Suite("Spans")
struct TracingTests {
  /// The only attributes that a span may have.
  private static let allowed: Set<String> = [
    "http.request.method", "http.route", "http.response.status_code", "server.address", "error.type",
  ]

  private static func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
    var attributes: [String: String] = [:]
    span.attributes.forEach { name, value in
      attributes[name] =
        switch value {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        default: "\(value)"
        }
    }
    return attributes
  }

  /// Everything that an exporter would send.
  private static func text(_ span: FinishedInMemorySpan) -> String {
    "\(span.operationName) \(Self.attributes(span)) \(String(describing: span.status)) \(span.events) \(span.errors)"
  }

  @Test("a request's span contains its method, route template, and status, and nothing else from the request")
  func secretless() async throws {
    let tracer = InMemoryTracer()
    try await withSite(tracing: ServerTracing(tracer: tracer)) { site in
      let request = AuthorizeParameters()
      let code = try await site.code(request)
      let tokens = try Tokens(try await site.redeem(code))
      _ = try await site.userinfo(tokens.access)
      _ = try await site.refresh("invalid-refresh-token")
      _ = try await site.send(.get, "/nowhere/\(code)?code=\(code)", headers: [.userAgent: "agent/\(code)"])
      _ = try await site.send(try #require(HTTPRequest.Method("BREW")), "/token")
      _ = try await site.send(.get, "/register/some-client-id")
      let spans = tracer.popFinishedSpans()
      let forbidden = [
        code, tokens.access, tokens.refresh, tokens.id, AuthorizeParameters.verifier, AuthorizeParameters.challenge,
        TestServer.password, try #require(request["state"]), try #require(request["nonce"]), "invalid-refresh-token", "nowhere",
        "agent",
        "BREW", "some-client-id", "?",
      ]
      for span in spans {
        let text = Self.text(span)
        for word in forbidden { #expect(!text.contains(word), "\(word) in \(text)") }
        #expect(Self.allowed.isSuperset(of: Self.attributes(span).keys), "\(text)")
        #expect(span.kind == .server && span.events.isEmpty && span.errors.isEmpty)
      }
      let token = try #require(spans.first { $0.operationName == "POST /token" })
      #expect(Self.attributes(token)["http.route"] == "/token" && Self.attributes(token)["http.response.status_code"] == "200")
      #expect(spans.contains { $0.operationName == "HTTP GET" && Self.attributes($0)["http.route"] == nil })
      #expect(spans.contains { $0.operationName == "HTTP _OTHER" })
      #expect(tracer.activeSpans.isEmpty)
    }
  }

  @Test("a caller's trace is continued only if the server is configured to continue callers' traces", arguments: [false, true])
  func callers(_ continues: Bool) async throws {
    let tracer = InMemoryTracer()
    try await withSite(tracing: ServerTracing(tracer: tracer, continuesCallersTraces: continues)) { site in
      let fields = [InMemoryTracer.traceIDKey: "caller", InMemoryTracer.spanIDKey: "span"]
      var headers = HTTPFields()
      for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
      _ = try await site.send(.get, "/jwks.json", headers: headers)
      let span = try #require(tracer.popFinishedSpans().first)
      #expect((span.traceID == "caller") == continues)
      #expect((span.parentSpanID == "span") == continues)
    }
  }

  @Test("the spans of writes, hashes, and outbound requests are children of the request's span, and contain no error reasons")
  func children() async throws {
    let tracer = InMemoryTracer()
    let tracing = ServerTracing(tracer: tracer)
    let fixture = try await TestServer()
    let metrics = ServerMetrics()
    let store = MeasuredStore(fixture.store, metrics: metrics, tracing: tracing)
    let hasher = MeasuredHasher(TestPasswordHasher(), metrics: metrics, tracing: tracing)
    let transport = TracedTransport(FailingTransport(), tracing: tracing)
    let parent = tracer.startSpan("request")
    try await InstrumentationContext.$current.withValue(parent.context) {
      _ = try await hasher.hash(Secret("hidden"))
      _ = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("hidden", expires: .now()) }
      let url = try EndpointURL("https://keys.example/hidden?hidden=1")
      _ = try? await transport.send(.post(form: url), body: Array("hidden".utf8), limits: .document)
      // On a closed database, the next write fails.
      try TestDatabase.close(fixture.store)
      _ = try? await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("hidden", expires: .now()) }
    }
    parent.end()
    let spans = tracer.popFinishedSpans().filter { $0.operationName != "request" }
    #expect(spans.map(\.operationName) == ["password hashing", "store write", "HTTP POST", "store write"])
    for span in spans {
      #expect(span.parentSpanID == parent.spanID && !Self.text(span).contains("hidden"), "\(Self.text(span))")
      #expect(Self.allowed.isSuperset(of: Self.attributes(span).keys))
    }
    let (write, request, failedWrite) = (spans[1], spans[2], spans[3])
    #expect(Self.attributes(request)["server.address"] == "keys.example" && request.kind == .client)
    #expect(Self.attributes(request)["error.type"] == "unreachable" && request.status?.code == .error)
    #expect(Self.attributes(failedWrite)["error.type"] == "unavailable" && write.status == nil)
  }
}

/// A transport that fails with a reason that must not appear in a span.
private struct FailingTransport: Transport {
  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    throw .unreachable(reason: "hidden")
  }
}
