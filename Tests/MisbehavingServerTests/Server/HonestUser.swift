import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A user agent that passes the server's redirect to the app. It is also the receiver with which the app waits for the
/// redirect.
final class HonestUser: UserAgent, RedirectReceiver {
  private let transport: any Transport
  private let callbacks = AsyncStream.makeStream(of: String.self)
  private let state = Mutex([String]())

  init(transport: any Transport) {
    self.transport = transport
  }

  /// The callback URLs that the app rejected.
  var rejected: [String] { self.state.withLock { $0 } }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    do {
      let response = try await self.transport.send(.get(EndpointURL(url.value)), body: [], limits: TransferLimits())
      self.callbacks.continuation.yield(response.head.headerFields[.location] ?? "")
    } catch {
      throw .failed(program: "browser", reason: "\(error)")
    }
  }

  func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    let redirectURI = try RedirectURI("http://127.0.0.1:49152/oauth2redirect/localhost")
    return try await body(BoundRedirect(redirectURI: redirectURI) { try await self.receive($0) })
  }

  private func receive(_ accepts: @Sendable (String) -> Bool) async throws -> ReceivedRedirect {
    for await callback in self.callbacks.stream {
      if accepts(callback) { return ReceivedRedirect(callbackURL: Secret(callback)) { _ in } }
      self.state.withLock { $0.append(callback) }
    }
    throw CancellationError()
  }
}
