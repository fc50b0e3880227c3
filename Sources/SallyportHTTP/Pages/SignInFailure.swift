/// Why the person sees the sign-in page again.
package enum SignInFailure: Sendable, Equatable {
  /// No such account, a wrong password or a disabled account: the page does not say which.
  case wrongCredentials
  /// So many sign-ins have failed that the next has to wait, in seconds; there may be no such account.
  case slowed(seconds: Int)
  /// The server has too much to do to check a password now.
  case busy
  /// The form was open for too long, or belongs to another browser session.
  case expired

  var sentence: String {
    switch self {
    case .wrongCredentials: "The user name or the password is not right. Check both and try again."
    case .slowed(let seconds):
      "Too many sign-ins have failed, so this one was not looked at. Try again in \(WaitingTime.words(seconds))."
    case .busy: "Many people are signing in just now. Wait a moment, then try again."
    case .expired: "This page was open for too long, so nothing was sent. Sign in once more."
    }
  }

  /// When it is worth another attempt, in seconds; nil for at once.
  package var retryAfter: Int? {
    switch self {
    case .slowed(let seconds): seconds
    case .busy: 5
    case .wrongCredentials, .expired: nil
    }
  }
}
