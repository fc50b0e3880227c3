import HTTPTypes
public import Sallyport
public import SallyportProtocol
import SallyportRemote
import Synchronization

/// A user and a browser for unit tests: decides about each authorization request as a test says, and returns to the app
/// through the redirect. It is both the user agent and the redirect receiver of a sign-in.
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
    /// The server returns to the app with this error.
    case fail(OAuthErrorCode)
    /// Closes the page, and the platform tells the app.
    case dismiss
    /// Never returns to the app. The sign-in ends with its timeout, or when its task is canceled.
    case stayAway
  }

  private enum Return {
    case callback(String)
    case dismissal
  }

  private struct State {
    var decision = Decision.allow
    var next = 0
    var bound: [Int: (issuer: Issuer, returns: AsyncStream<Return>.Continuation)] = [:]
  }

  /// Every authorization request as the browser opened it, in order. Iterate over it in one task only.
  public let requests: AsyncStream<BrowserURL>
  private let opened: AsyncStream<BrowserURL>.Continuation
  private let server: any Transport
  private let redirectURI: RedirectURI?
  private let state = Mutex(State())

  /// Creates a user who allows everything.
  /// - Parameters:
  ///   - server: Receives the authorization request of a user who allows it, and responds with a redirect to the app.
  ///   - redirectURI: Where the app receives the response, or `nil` for a private-use scheme.
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
    case .allow: self.deliver(.callback(try await self.callback(allowing: url)))
    case .deny: self.deliver(.callback(try self.callback(to: url, .accessDenied)))
    case .fail(let code): self.deliver(.callback(try self.callback(to: url, code)))
    case .dismiss: self.deliver(.dismissal)
    case .stayAway: break
    }
  }

  public func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    let redirectURI = try self.redirectURI ?? RedirectURI("com.example.app:/oauth2redirect")
    let (stream, continuation) = AsyncStream.makeStream(of: Return.self)
    let number = self.state.withLock { state in
      state.next += 1
      state.bound[state.next] = (server.issuer, continuation)
      return state.next
    }
    defer { self.state.withLock { $0.bound[number] = nil } }
    return try await body(BoundRedirect(redirectURI: redirectURI) { try await Self.receive(from: stream, where: $0) })
  }

  private static func receive(
    from stream: AsyncStream<Return>, where isResponse: @Sendable (String) -> Bool
  ) async throws -> ReceivedRedirect {
    for await next in stream {
      switch next {
      case .dismissal: throw RedirectReceiverError.dismissed
      case .callback(let url) where isResponse(url): return ReceivedRedirect(callbackURL: Secret(url))
      case .callback: continue
      }
    }
    throw CancellationError()
  }

  /// Returns to all waiting sign-ins, which recognize the response by its `state`.
  private func deliver(_ next: Return) {
    for bound in self.state.withLock({ $0.bound.values.map(\.returns) }) { bound.yield(next) }
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

  private func callback(to url: BrowserURL, _ code: OAuthErrorCode) throws(UserAgentError) -> String {
    let query = url.value.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    guard let request = try? FormParameters(parsing: query, repeatable: ["resource"]), let redirectURI = request["redirect_uri"]
    else {
      throw .failed(program: "browser", reason: "The authorization request contains no redirect_uri.")
    }
    let issuer = self.state.withLock { state in state.bound.max { $0.key < $1.key }?.value.issuer.value }
    let parameters = [("error", "\(code)"), ("state", request["state"] ?? ""), ("iss", issuer ?? "")]
    return "\(redirectURI)?\(FormParameters.encode(parameters))"
  }
}
