import SallyportLanguages
import SallyportLook

/// The page on which a visitor asks for an account, and the page that is shown after the request was accepted.
///
/// Its form has the field `email`, and the hidden field `csrf`.
package struct SignUpPage: Sendable {
  package enum State: Sendable, Equatable {
    case form
    /// The request was accepted. The page does not say whether the address already has an account; see `SignUps`.
    case sent
    /// The request was rejected.
    case failed(Failure)
  }

  package enum Failure: Sendable, Equatable {
    /// The server cannot send mail to the address.
    case invalid
    /// There were too many requests from the visitor's network.
    case throttled
    /// There were too many requests from all networks together.
    case overloaded
    /// The form's CSRF token is invalid.
    case expired
  }

  package var state: State
  /// In the form, the initial value of the field `email`. On the page after the request, the address that the visitor
  /// entered.
  package var email: String
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The address of the sign-in page, for users who have an account.
  package var signInAction: String

  package init(_ state: State, email: String = "", action: String, csrfToken: String, signInAction: String) {
    self.state = state
    self.email = email
    self.action = action
    self.csrfToken = csrfToken
    self.signInAction = signInAction
  }
}

extension SignUpPage.Failure {
  fileprivate var text: PageText {
    switch self {
    case .invalid: .signUpInvalid
    case .throttled: .signUpThrottled
    case .overloaded: .signUpOverloaded
    case .expired: .signUpExpired
    }
  }
}

extension Pages {
  private struct SignUpView {
    let site: Site
    let isSent: Bool
    let failure: String?
    let isInvalid: Bool
    let email: String
    let action: String
    let csrfToken: String
    let signInAction: String
  }

  package func signUp(_ page: SignUpPage) -> String {
    var failure: SignUpPage.Failure?
    if case .failed(let reason) = page.state { failure = reason }
    return self.render(
      .signUp,
      SignUpView(
        site: self.site, isSent: page.state == .sent, failure: failure.map { self.texts[$0.text] },
        isInvalid: failure == .invalid,
        email: DisplayText.fieldValue(page.email), action: page.action, csrfToken: page.csrfToken,
        signInAction: page.signInAction))
  }
}
