import SallyportLanguages

/// The page that asks for a code after a correct password or a sign-in through an upstream (another OpenID provider).
///
/// The page has a form for a code of the authenticator app, a form for a recovery code, or both. Each form has the
/// field `code`, and the hidden fields `csrf` and `state`. On a public device, each form also has the hidden field
/// `public-device`.
package struct SecondFactorPage: Sendable {
  package enum Failure: Sendable, Equatable {
    /// The code is wrong, or was used before. The user does not learn which.
    case wrongCode
    /// There were too many wrong codes. The user must wait this many seconds.
    case throttled(seconds: Int)
  }

  package var username: String
  /// Whether the account has an authenticator app.
  package var acceptsApp: Bool
  /// Whether the account has unused recovery codes.
  package var acceptsRecoveryCode: Bool
  package var failure: Failure?
  /// The address to which the forms are posted.
  package var action: String
  package var csrfToken: String
  /// The encrypted state of the sign-in, which the forms send back.
  package var state: String
  /// Whether the user said that the device belongs to someone else. The forms then repeat this in a hidden field.
  package var isOnPublicDevice: Bool
  /// The address of the sign-in page.
  package var startOverAction: String

  package init(
    username: String, acceptsApp: Bool, acceptsRecoveryCode: Bool, failure: Failure? = nil, action: String, csrfToken: String,
    state: String, isOnPublicDevice: Bool = false, startOverAction: String
  ) {
    self.username = username
    self.acceptsApp = acceptsApp
    self.acceptsRecoveryCode = acceptsRecoveryCode
    self.failure = failure
    self.action = action
    self.csrfToken = csrfToken
    self.state = state
    self.isOnPublicDevice = isOnPublicDevice
    self.startOverAction = startOverAction
  }
}

extension SecondFactorPage {
  /// Returns what went wrong and what to do; nil if nothing went wrong. After a wrong code, the text mentions only
  /// codes that the account accepts.
  func failureSentence(_ texts: PageTexts) -> String? {
    switch self.failure {
    case .wrongCode where !self.acceptsApp: texts[.recoveryCodeWrong]
    case .wrongCode where !self.acceptsRecoveryCode: texts[.appCodeWrong]
    case .wrongCode: texts[.codeWrong]
    case .throttled(let seconds): texts(.codeThrottled, ["time": .text(WaitingTime.words(seconds, texts))])
    case nil: nil
    }
  }
}

extension SecondFactorPage.Failure {
  /// The number of seconds to wait before the next attempt; nil if the user may try again immediately.
  package var retryAfter: Int? {
    switch self {
    case .throttled(let seconds): seconds
    case .wrongCode: nil
    }
  }
}
