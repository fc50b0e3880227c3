/// The page on which a user enters a device's code, or the page that confirms the user's decision.
///
/// The form has the field `user_code` and the hidden field `csrf`.
package struct DevicePage: Sendable {
  package enum Failure: Sendable, CaseIterable {
    /// The text does not have the form of a code, which consists of eight consonants.
    case malformed
    /// The code is unknown or has expired, or the user has already decided.
    case unknown
    case tooManyMistakes
    /// The form's CSRF token is invalid.
    case expired

    var text: PageText {
      switch self {
      case .malformed: .deviceMalformed
      case .unknown: .deviceUnknown
      case .tooManyMistakes: .deviceTooManyMistakes
      case .expired: .deviceExpired
      }
    }
  }

  package enum Decision: Sendable { case allowed, denied }

  /// The initial value of the field for the code.
  package var userCode: String
  package var failure: Failure?
  /// The decision that the page confirms; nil if the page asks for the code.
  package var decision: Decision?
  /// The registered name of the app on the device. Used only after a decision.
  package var appName: String
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String

  package init(userCode: String, failure: Failure? = nil, action: String, csrfToken: String) {
    self.userCode = userCode
    self.failure = failure
    self.decision = nil
    self.appName = ""
    self.action = action
    self.csrfToken = csrfToken
  }

  package init(decision: Decision, appName: String) {
    self.userCode = ""
    self.failure = nil
    self.decision = decision
    self.appName = appName
    self.action = ""
    self.csrfToken = ""
  }
}
