import Sallyport
import SallyportProtocol
import Synchronization
import TestSupport

/// A simulated browser with its user, and the app's redirect receiver, in one object. The test defines the callback
/// URLs that the receiver gets.
final class FakeBrowser: UserAgent, RedirectReceiver {
  /// Returns the callback URLs that the receiver gets after an authorization request with these parameters.
  typealias Responder = @Sendable (FormParameters) -> [String]

  private struct State {
    var opened: [String] = []
    var rejected: [String] = []
    var outcomes: [ReceivedRedirect.Outcome] = []
    var isReceiving = false
    var reboundURIs: [String] = []
  }

  let redirectURI: RedirectURI
  private let respond: Responder
  private let openError: UserAgentError?
  private let bindError: RedirectReceiverError?
  private let callbacks = AsyncStream.makeStream(of: String.self)
  private let state = Mutex(State())
  /// Opens when the browser has opened a page.
  let opening = Gate()

  /// - Parameters:
  ///   - redirectURI: The redirect URI that the receiver binds.
  ///   - openError: The error of the browser, or `nil` if it opens every page.
  ///   - bindError: The error of the receiver, or `nil` if it can bind every redirect URI.
  ///   - respond: Returns the callback URLs that the receiver gets after an authorization request.
  init(
    _ redirectURI: String = "http://127.0.0.1:49152/oauth2redirect/id.example", openError: UserAgentError? = nil,
    bindError: RedirectReceiverError? = nil, respond: @escaping Responder
  ) throws {
    self.redirectURI = try RedirectURI(redirectURI)
    self.respond = respond
    self.openError = openError
    self.bindError = bindError
  }

  /// The URLs that the client has opened in the browser.
  var opened: [String] { self.state.withLock { $0.opened } }
  /// The callback URLs that the client did not accept as a response.
  var rejected: [String] { self.state.withLock { $0.rejected } }
  /// The outcomes that the last page would show.
  var outcomes: [ReceivedRedirect.Outcome] { self.state.withLock { $0.outcomes } }
  /// The redirect URIs that the client has bound again to resume a sign-in.
  var reboundURIs: [String] { self.state.withLock { $0.reboundURIs } }
  /// Whether `withRedirect(for:_:)` is running.
  var isReceiving: Bool { self.state.withLock { $0.isReceiving } }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    if let error = self.openError { throw error }
    self.state.withLock { $0.opened.append(url.value) }
    self.opening.open()
    let query = url.value.split(separator: "?", maxSplits: 1)[1]
    guard let parameters = try? FormParameters(parsing: query, repeatable: ["resource"]) else { return }
    for callback in self.respond(parameters) { self.callbacks.continuation.yield(callback) }
  }

  func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    if let error = self.bindError { throw error }
    self.state.withLock { $0.isReceiving = true }
    defer { self.state.withLock { $0.isReceiving = false } }
    return try await body(BoundRedirect(redirectURI: self.redirectURI) { try await self.receive($0) })
  }

  func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    if let error = self.bindError { throw error }
    self.state.withLock { $0.reboundURIs.append(redirectURI.value) }
    return try await body(BoundRedirect(redirectURI: redirectURI) { try await self.receive($0) })
  }

  /// Sends the receiver a callback URL that does not come from `respond`.
  func deliver(_ callbackURL: String) {
    self.callbacks.continuation.yield(callbackURL)
  }

  private func receive(_ accepts: @Sendable (String) -> Bool) async throws -> ReceivedRedirect {
    for await callback in self.callbacks.stream {
      guard accepts(callback) else {
        self.state.withLock { $0.rejected.append(callback) }
        continue
      }
      return ReceivedRedirect(callbackURL: Secret(callback)) { outcome in
        self.state.withLock { $0.outcomes.append(outcome) }
      }
    }
    throw CancellationError()
  }
}
