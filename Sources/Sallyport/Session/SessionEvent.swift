/// What happens to a session.
public enum SessionEvent: Equatable, Sendable {
  /// This process got a new access token.
  case refreshed
  /// Another process got a new access token, and this one uses it too.
  case adopted
  /// The server does not renew the session any more; it goes on until its access token runs out.
  case notRenewable(SignInRequirement)
  /// The session is over; the stream of events ends with it.
  case ended(SignInRequirement)
}
