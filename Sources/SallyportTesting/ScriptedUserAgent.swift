import HTTPTypes
public import Sallyport
public import SallyportProtocol
import SallyportRemote
import Synchronization

/// A user and a browser for unit tests. The user decides about each authorization request as the test specifies, and
/// the browser returns to the app through the redirect. Pass the same object as the user agent and as the redirect
/// receiver of a sign-in.
///
/// ```swift
/// import SallyportTesting
///
/// let server = FakeAuthorizationServer()
/// let user = ScriptedUserAgent(server)
/// user.decision = .deny
/// do {
///   _ = try await server.client().signIn(scopes: .openID, via: user, receiver: user)
/// } catch .denied {
///   print("the app offers to sign in again")
/// }
/// ```
public final class ScriptedUserAgent: UserAgent, RedirectReceiver {
  /// What the user does when the browser shows the authorization request.
  public enum Decision: Hashable, Sendable {
    /// Signs in and allows the request.
    case allow
    /// Denies the request (`access_denied`).
    case deny
    /// Opens the request. The app then receives this error, as if the server had returned it.
    case fail(OAuthErrorCode)
    /// Closes the page, and the platform reports this to the app.
    case dismiss
    /// Never returns to the app. The sign-in ends when its timeout expires or its task is canceled.
    case stayAway
  }

  /// What a receiver gets while it waits.
  private enum Event {
    case callback(String)
    case dismissal
  }

  private struct State {
    var decision = Decision.allow
    /// The number of the last sign-in that began to wait.
    var lastNumber = 0
    /// The sign-ins that wait for a response.
    var receivers: [Int: (issuer: Issuer, events: AsyncStream<Event>.Continuation)] = [:]
  }

  /// Every authorization request as the browser opened it, in order. Iterate over it in one task only.
  public let requests: AsyncStream<BrowserURL>
  private let opened: AsyncStream<BrowserURL>.Continuation
  private let server: any Transport
  private let redirectURI: RedirectURI?
  private let state = Mutex(State())

  /// Creates a user who allows everything.
  /// - Parameters:
  ///   - server: Receives each authorization request that the user allows, and responds with a redirect to the app. No
  ///     other decision sends the request to the server.
  ///   - redirectURI: Where the app receives the response, or `nil` for `com.example.app:/oauth2redirect`.
  public init(_ server: some Transport, redirectURI: RedirectURI? = nil) {
    self.server = server
    self.redirectURI = redirectURI
    (self.requests, self.opened) = AsyncStream.makeStream()
  }

  /// What the user does from now on.
  public var decision: Decision {
    get { self.state.withLock { $0.decision } }
    set { self.state.withLock { $0.decision = newValue } }
  }

  public func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.opened.yield(url)
    switch self.decision {
    case .allow:
      let callback = try await self.callback(allowing: url)
      self.deliver { _ in .callback(callback) }
    case .deny: try self.deliver(.accessDenied, to: url)
    case .fail(let code): try self.deliver(code, to: url)
    case .dismiss: self.deliver { _ in .dismissal }
    case .stayAway: break
    }
  }

  public func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    let redirectURI = try self.redirectURI ?? RedirectURI("com.example.app:/oauth2redirect")
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    let number = self.state.withLock { state in
      state.lastNumber += 1
      state.receivers[state.lastNumber] = (server.issuer, continuation)
      return state.lastNumber
    }
    defer { self.state.withLock { $0.receivers[number] = nil } }
    return try await body(BoundRedirect(redirectURI: redirectURI) { try await Self.receive(from: stream, where: $0) })
  }

  private static func receive(
    from stream: AsyncStream<Event>, where isResponse: @Sendable (String) -> Bool
  ) async throws -> ReceivedRedirect {
    for await event in stream {
      switch event {
      case .dismissal: throw RedirectReceiverError.dismissed
      case .callback(let url) where isResponse(url): return ReceivedRedirect(callbackURL: Secret(url))
      case .callback: continue
      }
    }
    // The stream ends only if the task is canceled.
    throw CancellationError()
  }

  /// Delivers an event to all waiting sign-ins. Each sign-in recognizes its own response by the `state`.
  /// - Parameter event: Returns the event for a sign-in at the issuer.
  private func deliver(_ event: (Issuer) -> Event) {
    for (issuer, events) in self.state.withLock({ Array($0.receivers.values) }) { events.yield(event(issuer)) }
  }

  /// Delivers an error response to the authorization request.
  private func deliver(_ code: OAuthErrorCode, to url: BrowserURL) throws(UserAgentError) {
    let query = url.value.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    guard let request = try? FormParameters(parsing: query, repeatable: ["resource"]),
      let redirectURI = request["redirect_uri"].flatMap({ try? RedirectURI($0) })
    else {
      throw .failed(program: "browser", reason: "The authorization request contains no valid redirect_uri.")
    }
    self.deliver { issuer in
      .callback(redirectURI.appending([("error", "\(code)"), ("state", request["state"] ?? ""), ("iss", issuer.value)]))
    }
  }

  private func callback(allowing url: BrowserURL) async throws(UserAgentError) -> String {
    let response: TransportResponse
    do {
      response = try await self.server.send(.get(EndpointURL(url.value)), body: [], limits: TransferLimits())
    } catch {
      throw .failed(program: "browser", reason: "\(error)")
    }
    guard let location = response.head.headerFields[.location] else {
      // The user sees an error page, and never returns to the app.
      throw .failed(program: "browser", reason: String(decoding: response.body, as: UTF8.self))
    }
    return location
  }
}
