import SallyportLanguages
import SallyportLook
package import SallyportServer

/// The page on which a user with a link for sign-up chooses a user name and a password.
///
/// Its form has the fields `username`, `name`, `new-password`, and `new-password-repeat`, and the hidden field `csrf`.
package struct NewAccountPage: Sendable {
  package enum Failure: Sendable, Equatable {
    case usernameInvalid, usernameTaken, nameInvalid, entriesDiffer
    /// The policy does not accept the password.
    case passwordNotAccepted(PasswordPolicy.Violation)
    /// The server is too busy to hash the password.
    case busy
    /// There were too many attempts with this link.
    case throttled
    /// The form's CSRF token is invalid.
    case expired
  }

  package var email: String
  package var username: String
  package var name: String
  package var failure: Failure?
  /// The minimum number of Unicode code points in the password.
  package var minimumLength: Int
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String

  package init(
    email: String, username: String = "", name: String = "", failure: Failure? = nil, minimumLength: Int, action: String,
    csrfToken: String
  ) {
    self.email = email
    self.username = username
    self.name = name
    self.failure = failure
    self.minimumLength = minimumLength
    self.action = action
    self.csrfToken = csrfToken
  }
}

extension NewAccountPage.Failure {
  fileprivate func sentence(_ texts: PageTexts) -> String {
    switch self {
    case .usernameInvalid: texts[.usernameInvalid]
    case .usernameTaken: texts[.usernameTaken]
    case .nameInvalid: texts[.nameInvalid]
    case .entriesDiffer: ChangePasswordPage.Failure.entriesDiffer.sentence(texts)
    case .passwordNotAccepted(let violation): ChangePasswordPage.Failure.notAccepted(violation).sentence(texts)
    case .busy: texts[.signInBusy]
    case .throttled: texts[.newAccountThrottled]
    case .expired: texts[.signUpExpired]
    }
  }

  /// The number of seconds to wait before the next attempt; nil if the user may try again immediately.
  package var retryAfter: Int? {
    switch self {
    // The limit of attempts with a link is per hour.
    case .throttled: 3_600
    case .busy: 5
    case .usernameInvalid, .usernameTaken, .nameInvalid, .entriesDiffer, .passwordNotAccepted, .expired: nil
    }
  }
}

extension Pages {
  private struct NewAccountView {
    let site: Site
    let email: String
    let username: String
    let name: String
    let failure: String?
    let isUsernameInvalid: Bool
    let isNameInvalid: Bool
    let isPasswordInvalid: Bool
    let length: String
    let action: String
    let csrfToken: String
  }

  package func newAccount(_ page: NewAccountPage) -> String {
    let isPasswordInvalid =
      switch page.failure {
      case .entriesDiffer, .passwordNotAccepted: true
      default: false
      }
    return self.render(
      .newAccount,
      NewAccountView(
        site: self.site, email: DisplayText.fieldValue(page.email), username: DisplayText.fieldValue(page.username),
        name: DisplayText.fieldValue(page.name), failure: page.failure?.sentence(self.texts),
        isUsernameInvalid: page.failure == .usernameInvalid || page.failure == .usernameTaken,
        isNameInvalid: page.failure == .nameInvalid, isPasswordInvalid: isPasswordInvalid,
        length: self.texts(.passwordLength, ["count": .number(page.minimumLength)]),
        action: page.action, csrfToken: page.csrfToken))
  }
}
