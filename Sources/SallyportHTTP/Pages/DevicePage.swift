/// The page that asks for the code which a device shows, a form with the fields `user_code` and the hidden `csrf`; and the page that
/// says what was decided.
package struct DevicePage: Sendable {
  package enum Failure: Sendable, CaseIterable {
    /// Not eight letters.
    case malformed
    /// Unknown, expired or used.
    case unknown
    case tooManyMistakes
    /// The form is too old, or came from elsewhere.
    case expired

    var sentence: String {
      switch self {
      case .malformed: "That is not a code. It has eight letters, such as WDJB-MJHT."
      case .unknown: "No device waits with this code. It may have expired: look at the device again."
      case .tooManyMistakes: "Too many codes were wrong. Wait ten minutes, and begin anew on the device."
      case .expired: "This page was open for too long. Try again."
      }
    }
  }

  package enum Done: Sendable { case allowed, denied }

  package var userCode: String
  package var failure: Failure?
  package var done: Done?
  package var appName: String
  package var action: String
  package var csrfToken: String

  package init(userCode: String, failure: Failure? = nil, action: String, csrfToken: String) {
    self.userCode = userCode
    self.failure = failure
    self.done = nil
    self.appName = ""
    self.action = action
    self.csrfToken = csrfToken
  }

  package init(done: Done, appName: String) {
    self.userCode = ""
    self.failure = nil
    self.done = done
    self.appName = appName
    self.action = ""
    self.csrfToken = ""
  }
}
