/// The page on which users who have forgotten their passwords ask for a link, or the page that confirms
/// the request.
///
/// Its form has the field `username`, and the hidden field `csrf`.
package struct ForgotPasswordPage: Sendable {
  package enum State: Sendable, Equatable {
    case form
    /// The request was accepted. The page does not say whether a link is mailed, because that would reveal whether an
    /// account exists (`ResetRequests`).
    case sent
    /// There were too many requests from the user's network.
    case throttled
  }

  package var state: State
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String

  package init(_ state: State, action: String, csrfToken: String) {
    self.state = state
    self.action = action
    self.csrfToken = csrfToken
  }
}

extension Pages {
  private struct ForgotPasswordView {
    let site: Site
    let isSent: Bool
    let isThrottled: Bool
    let action: String
    let csrfToken: String
  }

  package func forgotPassword(_ page: ForgotPasswordPage) -> String {
    self.render(
      .forgotPassword,
      ForgotPasswordView(
        site: self.site, isSent: page.state == .sent, isThrottled: page.state == .throttled, action: page.action,
        csrfToken: page.csrfToken))
  }
}
