public import SallyportProtocol

/// Waits for the redirect that brings the authorization response back to the app (RFC 8252 §7).
///
/// An implementation is bound before the browser opens and closed afterwards (§8.3, rule C-11). To reject a request is not to
/// abort: only the request that the sign-in takes for its answer ends the wait, so nobody who guesses the port ends a sign-in.
public protocol RedirectReceiver: Sendable {
  /// Binds, calls `body` with the redirect URI really bound, and closes whatever happens.
  /// - Throws: what `body` throws, or ``RedirectReceiverError``.
  func withRedirect<R: Sendable>(
    for issuer: Issuer, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R

  /// Binds exactly this redirect URI, for a sign-in that an earlier process of the app has begun with it.
  /// - Throws: what `body` throws, or ``RedirectReceiverError``.
  func withRedirect<R: Sendable>(
    again redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R
}

extension RedirectReceiver {
  /// Refuses: what comes back to the app after its restart goes to ``OAuthClient/resume(from:)``.
  public func withRedirect<R: Sendable>(
    again redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    throw RedirectReceiverError.cannotBind(reason: "this receiver does not wait for the answer to an earlier request")
  }
}

/// A receiver that is bound.
public struct BoundRedirect: Sendable {
  /// The URI with the port that is really open, to be sent in the request and compared with the answer.
  public let redirectURI: RedirectURI
  /// Waits for the first request that `accepts` says is the answer; everything else is turned away and the wait goes on.
  ///
  /// `accepts` gets the full URL of a request as text and keeps nothing. Throws `CancellationError` when the task is cancelled
  /// and ``RedirectReceiverError`` where nothing can be received any more.
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
  /// Waits for the answer, and no longer than that.
  /// - Throws: ``SignInError/timedOut``, and what ``response`` throws.
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

/// Whether a request is the answer that a sign-in waits for.
public enum RedirectVerdict: Sendable {
  case accept, reject
}

/// The accepted request, whose page the person still waits for.
public struct ReceivedRedirect: Sendable {
  /// The full URL of the request; it carries the code.
  public let callbackURL: Secret<String>
  /// Answers the browser with the sign-in's last page, which says how it went and that the person can go back to the app
  /// (rule C-27). Called once, after the code was exchanged.
  public let finish: @Sendable (LastPageOutcome) async -> Void

  public init(callbackURL: Secret<String>, finish: @escaping @Sendable (LastPageOutcome) async -> Void) {
    self.callbackURL = callbackURL
    self.finish = finish
  }
}

/// What the last page tells the person.
public enum LastPageOutcome: Sendable, Equatable {
  case signedIn(appName: String?)
  /// The person said no, on the server's page.
  case denied
  case failed
  /// The answer to a sign-out at the server.
  case signedOut(appName: String?)
}

/// Why a redirect cannot be received.
public enum RedirectReceiverError: Error, Equatable, Sendable {
  /// Neither loopback address could be bound, or the named port is taken.
  case cannotBind(reason: String)
  /// The person closed the page that the receiver belongs to.
  case dismissed
  /// The receiver broke while it waited.
  case failed(reason: String)
}
