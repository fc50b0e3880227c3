/// Why the person sees the sign-in page again.
package enum SignInFailure: Sendable, Equatable, CaseIterable {
  /// No such account, a wrong password or a disabled account: the page does not say which.
  case wrongCredentials
  /// Too many failed attempts.
  case tryAgainLater
  /// The server has too much to do to check a password now.
  case busy
  /// The form was open for too long, or belongs to another browser session.
  case expired
}
