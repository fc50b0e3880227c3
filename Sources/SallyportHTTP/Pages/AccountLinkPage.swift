import SallyportLanguages
import SallyportLook

/// The page that a one-time link opens, or the page that the user sees after using the link.
///
/// Its form has the hidden fields `csrf` and `token`, and a button with the value `continue`.
package struct AccountLinkPage: Sendable {
  package enum Content: Sendable, Equatable {
    /// With the link, the user sets the first password of the account.
    case invitation
    /// With the link, the user sets a new password.
    case passwordReset
    /// The link confirms this email address.
    case emailVerification(email: String)
    /// The link confirms an email address, but the user of the account is not signed in with this browser.
    case signInNeeded
    /// With the link, the user creates an account with this email address.
    case signUp(email: String)
    /// The password was set.
    case passwordSet
    case accountCreated
  }

  package var content: Content
  /// Empty if there is no account yet.
  package var username: String
  /// The address to which the form is posted. If ``form`` is nil, the page has a link to this address instead.
  package var action: String
  /// The CSRF token and the token of the link; nil for a page without a form.
  package var form: (csrfToken: String, token: String)?
  /// The address of the link with which the user adds a passkey; nil for no link.
  package var passkeyAction: String?

  package init(_ content: Content, username: String, action: String, form: (csrfToken: String, token: String)? = nil) {
    self.content = content
    self.username = username
    self.action = action
    self.form = form
  }

  fileprivate var words: (title: PageText, sentence: PageText, button: PageText) {
    switch self.content {
    case .invitation: (.linkInvitationTitle, .linkInvitation, .continueButton)
    case .passwordReset: (.linkPasswordTitle, .linkPassword, .continueButton)
    case .emailVerification: (.linkEmailTitle, .linkEmail, .linkEmailButton)
    case .signInNeeded: (.linkSignInTitle, .linkSignIn, .signInButton)
    case .signUp: (.newAccountTitle, .linkSignUp, .continueButton)
    case .accountCreated: (.linkCreatedTitle, .linkDone, .linkAccountButton)
    case .passwordSet: (.linkSetTitle, .linkDone, .linkAccountButton)
    }
  }
}

extension Pages {
  private struct AccountLinkView {
    let site: Site
    let title: String
    let sentence: String
    let button: String
    let username: String?
    let email: String?
    let action: String
    let csrfToken: String?
    let token: String?
    let passkeyAction: String?
  }

  package func accountLink(_ page: AccountLinkPage) -> String {
    var email: String?
    switch page.content {
    case .emailVerification(let address), .signUp(let address): email = DisplayText.clean(address, limit: 254)
    default: break
    }
    return self.render(
      .accountLink,
      AccountLinkView(
        site: self.site, title: self.texts[page.words.title], sentence: self.texts[page.words.sentence],
        button: self.texts[page.words.button],
        username: page.username.isEmpty ? nil : DisplayText.username(page.username), email: email, action: page.action,
        csrfToken: page.form?.csrfToken, token: page.form?.token, passkeyAction: page.passkeyAction))
  }
}
