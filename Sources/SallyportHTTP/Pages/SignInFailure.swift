/// Why the person sees the sign-in page again.
package enum SignInFailure: Sendable, Equatable, CaseIterable {
  /// No such account, a wrong password or a disabled account: the page does not say which.
  case wrongCredentials
  /// The server has too much to do to check a password now.
  case busy
  /// The form was open for too long, or belongs to another browser session.
  case expired

  var sentence: String {
    switch self {
    case .wrongCredentials: "The user name or the password is not right. Check both and try again."
    case .busy: "Many people are signing in just now. Wait a moment, then try again."
    case .expired: "This page was open for too long, so nothing was sent. Sign in once more."
    }
  }
}
