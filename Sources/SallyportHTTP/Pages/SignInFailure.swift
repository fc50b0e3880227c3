import SallyportLanguages
import SallyportLook
package import SallyportServer

/// Why the user sees the sign-in page again.
package enum SignInFailure: Sendable, Equatable {
  /// The account does not exist or is disabled, or the password is wrong. The user does not learn which.
  case wrongCredentials
  /// The passkey was not accepted, for example because it is unknown. The user does not learn why.
  case wrongPasskey
  /// The user signed in without a passkey, but the app or its request requires one.
  case passkeyRequired
  /// The user signed in with another method, but a passkey whose authenticator has attested its model is required.
  case attestedPasskeyRequired
  /// The user signed in with one factor, but the app or its request requires two.
  case secondFactorRequired
  /// The password no longer meets the policy, and the user must sign in with a passkey to change it.
  case passkeyForNewPassword
  /// Too many sign-ins have failed, so the user must wait this many seconds. The limit also applies to user names
  /// without an account, so that attackers cannot find out which accounts exist.
  case throttled(seconds: Int)
  /// The server is too busy to check a password.
  case busy
  /// The form is no longer valid:
  /// - Its CSRF token is invalid.
  /// - The time for choosing a new password, entering a code, or using a passkey is over.
  /// - The provider that the user chose is no longer offered.
  case expired
  /// The signed-in user must sign in again, but the form contains the user name or passkey of another user.
  case otherUser
  /// The user has signed in, but the browser did not keep the session cookie.
  case cookiesNeeded

  /// A sign-in through an upstream (another OpenID provider) failed.
  /// - Parameter name: The name of the upstream.
  case upstream(UpstreamFailure, name: String)

  /// - Parameter passwordCanSuffice: Whether the user can sign in with a password instead of a passkey.
  func sentence(passwordCanSuffice: Bool, _ texts: PageTexts) -> String {
    switch self {
    case .wrongCredentials: texts[.signInWrongCredentials]
    case .wrongPasskey: texts[passwordCanSuffice ? .signInWrongPasskey : .signInWrongPasskeyWithoutPassword]
    case .passkeyRequired: texts[.signInPasskeyRequired]
    case .attestedPasskeyRequired: texts[.signInAttestedPasskeyRequired]
    case .secondFactorRequired: texts[.signInSecondFactorRequired]
    case .passkeyForNewPassword: texts[.signInPasskeyForNewPassword]
    case .throttled(let seconds): texts(.signInThrottled, ["time": .text(WaitingTime.words(seconds, texts))])
    case .busy: texts[.signInBusy]
    case .expired: texts[.signInExpired]
    case .otherUser: texts[.signInOtherUser]
    case .cookiesNeeded: texts[.signInCookiesNeeded]
    case .upstream(let failure, let name): texts(failure.text, ["provider": .text(DisplayText.clean(name) ?? name)])
    }
  }

  /// The number of seconds to wait before the next attempt; nil if the user may try again immediately.
  package var retryAfter: Int? {
    switch self {
    case .throttled(let seconds): seconds
    case .busy: 5
    // The quota of requests to upstreams is per minute.
    case .upstream(.throttled, _): 60
    case .wrongCredentials, .wrongPasskey, .passkeyRequired, .attestedPasskeyRequired, .secondFactorRequired,
      .passkeyForNewPassword, .expired, .otherUser, .cookiesNeeded, .upstream:
      nil
    }
  }
}

extension UpstreamFailure {
  fileprivate var text: PageText {
    switch self {
    case .unavailable: .providerUnavailable
    case .denied: .providerDenied
    case .invalid: .providerInvalid
    case .noAccount: .providerNoAccount
    case .notFresh: .providerNotFresh
    case .otherUser: .providerOtherUser
    case .accountRejected: .providerAccountRejected
    case .sessionEnded: .providerSessionEnded
    case .throttled: .providerThrottled
    }
  }
}
