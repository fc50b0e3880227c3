public import SallyportProtocol
public import SallyportRemote

/// Waits for the redirect that returns the authorization response to the app (RFC 8252 §7).
///
/// The receiver is bound before the browser opens, and is closed when the sign-in ends (§8.3, rule C-11). A rejected
/// request doesn't end the wait, so a program that guesses the port cannot abort a sign-in. In a
/// `WebAuthenticationTab`, only the page can cause redirects, so there the wait fails after three redirects that don't
/// belong to the sign-in.
public protocol RedirectReceiver: Sendable {
  /// Binds the receiver, calls `body` with the actual redirect URI, and closes the receiver in any case.
  /// - Parameter server: The server that redirects to the app. A receiver without a redirect URI of its own uses the
  ///   default redirect URI for the server's issuer and ``ServerConfiguration/loopbackHost``.
  /// - Throws: The error that `body` throws, or ``RedirectReceiverError``.
  func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R

  /// Binds exactly `redirectURI`, to continue a sign-in. An earlier process of the app started the sign-in and sent
  /// this redirect URI in the authorization request.
  /// - Throws: The error that `body` throws, or ``RedirectReceiverError``.
  func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R
}

extension RedirectReceiver {
  /// This default implementation throws, because most receivers cannot continue an earlier sign-in. Pass the callback
  /// URL to ``OAuthClient/resume(from:)`` instead.
  public func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    throw RedirectReceiverError.cannotBind(reason: "this receiver cannot continue an earlier sign-in")
  }
}

/// A bound receiver.
public struct BoundRedirect: Sendable {
  /// The redirect URI, which is sent in the request and compared with the response. A loopback URI contains the port
  /// that is actually open.
  public let redirectURI: RedirectURI
  private let receive:
    @Sendable (_ isResponse: @escaping @Sendable (_ callbackURL: String) -> Bool) async throws -> ReceivedRedirect

  /// Creates a bound receiver.
  /// - Parameters:
  ///   - redirectURI: The redirect URI. A loopback URI contains the port that is actually open.
  ///   - receive: Waits for the first request for which `isResponse` returns `true`; see ``response(where:)``.
  public init(
    redirectURI: RedirectURI,
    receive:
      @escaping @Sendable (_ isResponse: @escaping @Sendable (_ callbackURL: String) -> Bool) async throws
      -> ReceivedRedirect
  ) {
    self.redirectURI = redirectURI
    self.receive = receive
  }

  /// Waits for the response. All other requests are rejected, and the wait continues.
  /// - Parameter isResponse: Returns whether a request is the response. Receives the full URL of the request, and must
  ///   not retain it.
  /// - Returns: The first request for which `isResponse` returns `true`.
  /// - Throws: `CancellationError` if the task is canceled, and ``RedirectReceiverError`` if no more requests can be
  ///   received.
  public func response(
    where isResponse: @escaping @Sendable (_ callbackURL: String) -> Bool
  ) async throws -> ReceivedRedirect {
    try await self.receive(isResponse)
  }
}

/// An accepted request. If it is an HTTP request to a loopback port, the browser is still waiting for a page in
/// response.
public struct ReceivedRedirect: Sendable {
  /// The full URL of the request, which is secret because it can contain the authorization code.
  public let callbackURL: Secret<String>
  private let showLastPage: @Sendable (Outcome, _ uiLocales: [String]) async -> Void

  /// Creates a value for an accepted request.
  /// - Parameters:
  ///   - callbackURL: The full URL of the request.
  ///   - showLastPage: Sends the last page to the browser; see ``finish(_:)``.
  public init(callbackURL: Secret<String>, showLastPage: @escaping @Sendable (Outcome) async -> Void = { _ in }) {
    self.callbackURL = callbackURL
    self.showLastPage = { outcome, _ in await showLastPage(outcome) }
  }

  /// Creates a value for an accepted request, whose last page has texts in several languages.
  package init(
    callbackURL: Secret<String>, showLastPage: @escaping @Sendable (Outcome, _ uiLocales: [String]) async -> Void
  ) {
    self.callbackURL = callbackURL
    self.showLastPage = showLastPage
  }

  /// Sends the last page of the sign-in or sign-out to the browser. The page shows the outcome, and that the user can
  /// return to the app (rule C-27).
  ///
  /// Call this once. In a sign-in, call it after the code has been exchanged.
  public func finish(_ outcome: Outcome) async {
    await self.showLastPage(outcome, [])
  }

  /// Sends the last page in the first of these languages that is available.
  /// - Parameter uiLocales: Language tags in order of preference, from the app's options.
  package func finish(_ outcome: Outcome, uiLocales: [String]) async {
    await self.showLastPage(outcome, uiLocales)
  }
}

extension ReceivedRedirect {
  /// The outcome of a sign-in or sign-out, as shown on the page that ends it in the browser; see
  /// ``ReceivedRedirect/finish(_:)``.
  public enum Outcome: Sendable, Equatable {
    /// The user is signed in. `appName` is the display name of the app.
    case signedIn(appName: String?)
    /// The user, or the server on the user's behalf, denied the request.
    case denied
    /// The sign-in failed.
    case failed
    /// The sign-out at the server is complete. `appName` is the display name of the app.
    case signedOut(appName: String?)
  }
}

/// Why a redirect cannot be received.
public enum RedirectReceiverError: Error, Equatable, Sendable {
  /// The receiver cannot be bound, for example because the port is in use.
  case cannotBind(reason: String)
  /// The user closed the page, on platforms that report it.
  case dismissed
  /// The receiver failed while it was waiting.
  case failed(reason: String)
}
