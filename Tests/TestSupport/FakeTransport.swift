package import HTTPTypes
package import SallyportProtocol
package import SallyportRemote
import Synchronization

/// A transport with scripted responses that records all requests. An unscripted request gets status 404.
package final class FakeTransport: Transport {
  package typealias Outcome = Result<TransportResponse, TransportError>
  package typealias Handler = @Sendable (RecordedRequest) async -> Outcome

  /// A request as it was sent.
  package struct RecordedRequest: Sendable {
    package var head: HTTPRequest
    package var body: [UInt8]
    package var limits: TransferLimits
    /// The whole URL.
    package var url: String
    /// The number of earlier requests to this URL, regardless of its query.
    package var index: Int

    /// The body's parameters, or `nil` if it is not a form.
    package var form: FormParameters? {
      guard self.head.headerFields[.contentType] == "application/x-www-form-urlencoded" else { return nil }
      return try? FormParameters(parsing: String(decoding: self.body, as: UTF8.self), repeatable: ["resource"])
    }
  }

  private struct State {
    var handlers: [String: Handler] = [:]
    var requests: [RecordedRequest] = []
    var waiting: [(count: Int, url: String, gate: Gate)] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Responds to all requests to a URL, regardless of its query, with a handler. A later call replaces the handler.
  package func on(_ url: String, _ handler: @escaping Handler) {
    self.state.withLock { $0.handlers[url] = handler }
  }

  /// Responds to all requests to a URL with the same response.
  package func on(_ url: String, respond response: TransportResponse) {
    self.on(url) { _ in .success(response) }
  }

  /// Makes all requests to a URL fail.
  package func on(_ url: String, fail error: TransportError) {
    self.on(url) { _ in .failure(error) }
  }

  /// All requests in the order in which they were sent.
  package var requests: [RecordedRequest] { self.state.withLock { $0.requests } }

  package func requests(to url: String) -> [RecordedRequest] {
    self.requests.filter { Self.withoutQuery($0.url) == url }
  }

  /// Waits until the given number of requests to a URL have been sent, even if some have no response yet.
  package func waitForRequests(_ count: Int, to url: String) async {
    let gate = Gate()
    self.state.withLock { state in
      if state.requests.count(where: { Self.withoutQuery($0.url) == url }) >= count {
        gate.open()
      } else {
        state.waiting.append((count, url, gate))
      }
    }
    await gate.wait()
  }

  package func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
    let (handler, recorded) = self.record(request, body, limits, url)
    guard let handler else { return .text("not scripted", status: .notFound) }
    let outcome = await handler(recorded)
    if Task.isCancelled { throw .cancelled }
    return try outcome.get()
  }

  private func record(
    _ head: HTTPRequest, _ body: [UInt8], _ limits: TransferLimits, _ url: String
  ) -> (Handler?, RecordedRequest) {
    let key = Self.withoutQuery(url)
    return self.state.withLock { state in
      let index = state.requests.count { Self.withoutQuery($0.url) == key }
      let recorded = RecordedRequest(head: head, body: body, limits: limits, url: url, index: index)
      state.requests.append(recorded)
      for waiter in state.waiting where waiter.url == key && waiter.count <= index + 1 { waiter.gate.open() }
      return (state.handlers[key], recorded)
    }
  }

  private static func withoutQuery(_ url: String) -> String {
    String(url.prefix { $0 != "?" })
  }
}
