import HTTPTypes
package import Sallyport
import SallyportProtocol
package import SallyportRemote
import Synchronization

/// A user who signs in and allows everything. The object is both the user's browser and the app's redirect receiver.
package final class QuirkUser: UserAgent, RedirectReceiver {
  private let transport: any Transport
  private let redirectURI: String
  private let callbacks = AsyncStream.makeStream(of: String.self)
  private let openedURLs = Mutex([String]())

  /// - Parameters:
  ///   - transport: The provider.
  ///   - redirectURI: Where the app receives the response.
  package init(transport: any Transport, redirectURI: String) {
    self.transport = transport
    self.redirectURI = redirectURI
  }

  /// The URLs of the pages that the browser has opened.
  package var opened: [String] { self.openedURLs.withLock { $0 } }

  package func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.openedURLs.withLock { $0.append(url.value) }
    let response: TransportResponse
    do {
      response = try await self.transport.send(.get(EndpointURL(url.value)), body: [], limits: TransferLimits())
    } catch {
      throw .failed(program: "browser", reason: "\(error)")
    }
    guard let location = response.head.headerFields[.location] else {
      // The user sees the provider's error page, and never returns to the app.
      throw .failed(program: "browser", reason: String(decoding: response.body, as: UTF8.self))
    }
    self.callbacks.continuation.yield(location)
  }

  package func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    let redirectURI = try RedirectURI(self.redirectURI)
    return try await body(BoundRedirect(redirectURI: redirectURI) { try await self.receive($0) })
  }

  private func receive(_ accepts: @Sendable (String) -> Bool) async throws -> ReceivedRedirect {
    for await callback in self.callbacks.stream where accepts(callback) {
      // The closure would show the last page of the sign-in in the browser.
      return ReceivedRedirect(callbackURL: Secret(callback)) { _ in }
    }
    throw CancellationError()
  }
}
