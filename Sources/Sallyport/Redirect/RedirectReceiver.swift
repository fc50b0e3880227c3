public import SallyportProtocol

/// Waits for the redirect that returns the authorization response to the app (RFC 8252 §7).
///
/// The receiver is bound before the browser opens and closed afterward (§8.3, rule C-11). A rejected request doesn't
/// end the wait: only the request that the sign-in accepts does, so a program that guesses the port cannot abort a
/// sign-in.
public protocol RedirectReceiver: Sendable {
  /// Binds the receiver, calls `body` with the actual redirect URI, and closes the receiver in any case.
  /// - Throws: The error that `body` throws, or ``RedirectReceiverError``.
  func withRedirect<R: Sendable>(
    for issuer: Issuer, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R

  /// Binds exactly this redirect URI, for a sign-in that an earlier process of the app started with it.
  /// - Throws: The error that `body` throws, or ``RedirectReceiverError``.
  func withRedirect<R: Sendable>(
    again redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R
}

extension RedirectReceiver {
  /// Throws, because most receivers cannot continue an earlier sign-in. Pass the callback URL to
  /// ``OAuthClient/resume(from:)`` instead.
  public func withRedirect<R: Sendable>(
    again redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    throw RedirectReceiverError.cannotBind(reason: "this receiver cannot continue an earlier sign-in")
  }
}

/// A bound receiver.
public struct BoundRedirect: Sendable {
  /// The redirect URI with the port that is actually open. It is sent in the request and compared with the response.
  public let redirectURI: RedirectURI
  /// Waits for the first request that `accepts` accepts. All other requests are rejected, and the wait continues.
  ///
  /// `accepts` receives the full URL of a request and must not retain it. The closure throws `CancellationError` if the
  /// task is canceled, and ``RedirectReceiverError`` if no more requests can be received.
  public let response:
    @Sendable (_ accepts: @escaping @Sendable (_ callbackURL: String) -> RedirectVerdict) async throws
      -> ReceivedRedirect

  public init(
    redirectURI: RedirectURI,
    response:
      @escaping @Sendable (_ accepts: @escaping @Sendable (_ callbackURL: String) -> RedirectVerdict) async throws
      -> ReceivedRedirect
  ) {
    self.redirectURI = redirectURI
    self.response = response
  }
}

extension BoundRedirect {
  /// Waits for the response, at most for the given time.
  /// - Throws: ``SignInError/timedOut``, or an error of ``response``.
  func response(
    within limit: Duration, accepts: @escaping @Sendable (_ callbackURL: String) -> RedirectVerdict
  ) async throws -> ReceivedRedirect {
    try await withThrowingTaskGroup(of: ReceivedRedirect.self) { group in
      group.addTask { try await self.response(accepts) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw SignInError.timedOut
      }
      defer { group.cancelAll() }
      guard let received = try await group.next() else { throw CancellationError() }
      return received
    }
  }
}

/// Whether a request is the response that a sign-in waits for.
public enum RedirectVerdict: Sendable {
  case accept, reject
}

/// The accepted request, whose page the user is still waiting for.
public struct ReceivedRedirect: Sendable {
  /// The full URL of the request, which contains the code.
  public let callbackURL: Secret<String>
  /// Sends the last page of the sign-in to the browser. The page shows the outcome and that the user can return to the
  /// app (rule C-27).
  ///
  /// Called once, after the code has been exchanged.
  public let finish: @Sendable (LastPageOutcome) async -> Void

  public init(callbackURL: Secret<String>, finish: @escaping @Sendable (LastPageOutcome) async -> Void) {
    self.callbackURL = callbackURL
    self.finish = finish
  }
}

/// The outcome that the last page shows to the user.
public enum LastPageOutcome: Sendable, Equatable {
  case signedIn(appName: String?)
  /// The user denied the request on the server's page.
  case denied
  case failed
  /// The redirect belongs to a sign-out at the server.
  case signedOut(appName: String?)
}

/// Why a redirect cannot be received.
public enum RedirectReceiverError: Error, Equatable, Sendable {
  /// The receiver cannot be bound, for example because the port is in use.
  case cannotBind(reason: String)
  /// The user closed the page that the receiver belongs to.
  case dismissed
  /// The receiver failed while it was waiting.
  case failed(reason: String)
}
