import SallyportLanguages
package import SallyportServer

/// The page that asks for a new password, because the current one no longer meets the policy, because the user wants to
/// change it, or because the user has opened a one-time link.
///
/// Its form has the fields `new-password` and `new-password-repeat`, and the hidden field `csrf`. If the current
/// password no longer meets the policy, the form also has the hidden field `proof`. On a public device, it also has the
/// hidden field `public-device`.
package struct ChangePasswordPage: Sendable {
  package enum Failure: Sendable, Equatable {
    /// The two passwords differ.
    case entriesDiffer
    /// The policy does not accept the password.
    case notAccepted(PasswordPolicy.Violation)
    /// There were too many attempts. The user must wait this many seconds before the next one.
    case throttled(seconds: Int)
    /// The server is too busy to hash the new password.
    case busy
  }

  package var username: String
  package var failure: Failure?
  /// The minimum number of Unicode code points in the new password.
  package var minimumLength: Int
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// Proof that the user entered the current password, which no longer meets the policy; nil if the user is signed in
  /// or has opened a one-time link.
  package var proof: String?
  /// Whether the account has no password yet.
  package var isFirst: Bool
  /// Whether the page says that the new password signs the user out elsewhere.
  package var signsOut: Bool
  /// Whether the user said that the device belongs to someone else. The form then repeats this in a hidden field.
  package var isOnPublicDevice: Bool
  /// The address of the link with which the user keeps the password; nil for no link.
  package var cancelAction: String?

  package init(
    username: String, failure: Failure? = nil, minimumLength: Int, action: String, csrfToken: String, proof: String?,
    isFirst: Bool = false, signsOut: Bool = true, isOnPublicDevice: Bool = false, cancelAction: String? = nil
  ) {
    self.username = username
    self.failure = failure
    self.minimumLength = minimumLength
    self.action = action
    self.csrfToken = csrfToken
    self.proof = proof
    self.isFirst = isFirst
    self.signsOut = signsOut
    self.isOnPublicDevice = isOnPublicDevice
    self.cancelAction = cancelAction
  }
}

extension ChangePasswordPage.Failure {
  func sentence(_ texts: PageTexts) -> String {
    switch self {
    case .entriesDiffer: texts[.passwordsDiffer]
    case .notAccepted(.tooShort(let minimum)): texts(.passwordTooShort, ["count": .number(minimum)])
    case .notAccepted(.tooLong): texts(.passwordTooLong, ["count": .number(PasswordPolicy.maximumBytes)])
    case .notAccepted(.tooEasyToGuess): texts[.passwordTooEasy]
    case .throttled(let seconds): texts(.passwordThrottled, ["time": .text(WaitingTime.words(seconds, texts))])
    case .busy: texts[.signInBusy]
    }
  }

  /// The number of seconds to wait before the next attempt; nil if the user may try again immediately.
  package var retryAfter: Int? {
    switch self {
    case .throttled(let seconds): seconds
    case .busy: 5
    case .entriesDiffer, .notAccepted: nil
    }
  }
}
