import SallyportLook
package import SallyportServer

/// Why the user sees the sign-in page again.
package enum SignInFailure: Sendable, Equatable {
  /// The account does not exist or is disabled, or the password is wrong. The user does not learn which.
  case wrongCredentials
  /// The passkey was not accepted, for example because it is unknown. The user does not learn why.
  case wrongPasskey
  /// The user signed in without a passkey, but this app, or what it requests, requires one.
  case passkeyRequired
  /// The user signed in with another method, but a passkey on an authenticator of an attested model is required.
  case attestedPasskeyRequired
  /// The user signed in with a password, but the app requires two factors.
  case secondFactorRequired
  /// The password no longer meets the policy, and the user must sign in with a passkey to change it.
  case passkeyForNewPassword
  /// Too many sign-ins have failed, so the user must wait this many seconds. The same applies to user names without an
  /// account, so that attackers cannot find out which accounts exist.
  case throttled(seconds: Int)
  /// The server is too busy to check a password.
  case busy
  /// The form was posted from another site, its CSRF token is invalid, or the time for choosing a new password, entering a
  /// code, or using a passkey is over.
  case expired
  /// The signed-in user must confirm a change on the account page, and the form contains the user name or passkey of
  /// another user.
  case otherUser

  /// A sign-in through an upstream failed.
  /// - Parameter name: The name of the upstream.
  case upstream(UpstreamFailure, name: String)

  var sentence: String {
    switch self {
    case .wrongCredentials: "The user name or password is incorrect. Check both and try again."
    case .wrongPasskey: "This passkey was not accepted. Try again, or use your password."
    case .passkeyRequired: "This app requires a passkey. Sign in with a passkey to continue."
    case .attestedPasskeyRequired:
      "This app requires a passkey on a security key that this site approves. Sign in with such a passkey to continue."
    case .secondFactorRequired:
      """
      This app requires two factors. Sign in with a passkey, or with your password and a code. You can set up both on your \
      account page.
      """
    case .passkeyForNewPassword:
      """
      Your password no longer meets the requirements. Sign in with a passkey, and then choose a new password on your account \
      page.
      """
    case .throttled(let seconds):
      "Too many sign-ins have failed, so this one was not checked. Try again in \(WaitingTime.words(seconds))."
    case .busy: "Many people are signing in right now. Wait a moment, then try again."
    case .expired: "This page is no longer valid. Sign in again."
    case .otherUser: "Another user is signed in. Sign in as that user, or sign out first."
    case .upstream(let failure, let name): failure.sentence(name: name)
    }
  }

  /// The number of seconds to wait before the next attempt; nil if the user may try again immediately.
  package var retryAfter: Int? {
    switch self {
    case .throttled(let seconds): seconds
    case .busy: 5
    case .wrongCredentials, .wrongPasskey, .passkeyRequired, .attestedPasskeyRequired, .secondFactorRequired,
      .passkeyForNewPassword, .expired, .otherUser, .upstream:
      nil
    }
  }
}

extension UpstreamFailure {
  /// - Parameter name: The name of the upstream.
  fileprivate func sentence(name: String) -> String {
    // The isolates (U+2068, U+2069) keep a name in a right-to-left script from changing the order of the sentence.
    let name = "\u{2068}\(DisplayText.clean(name) ?? name)\u{2069}"
    return switch self {
    case .unavailable: "\(name) cannot be reached right now. Try again later, or sign in another way."
    case .denied: "The sign-in at \(name) was canceled. Try again, or sign in another way."
    case .invalid: "The sign-in at \(name) could not be verified. Try again, or sign in another way."
    case .noAccount:
      "No account here is connected with your account at \(name). Sign in another way, and then connect \(name) on your account page."
    case .notFresh: "\(name) did not confirm that you signed in again. Sign out there, and then try again."
    case .otherUser: "Your account at \(name) is connected with another account here, or with none. Sign in another way."
    case .accountRejected: "You cannot sign in with your account at \(name)."
    case .sessionEnded: "You were signed out. Sign in, and then try again."
    case .throttled: "Too many people are signing in through \(name) right now. Wait a minute, then try again."
    }
  }
}
