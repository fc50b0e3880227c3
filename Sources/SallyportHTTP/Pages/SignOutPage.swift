/// The page that asks whether to sign out.
package struct SignOutPage: Sendable {
  package var username: String
  /// The app that requested the sign-out; nil if the user started the sign-out, or if the app is not known.
  package var appName: String?
  /// How the session that the app's request names differs from this user's session in the browser; nil if it does not
  /// differ, or if the request names neither a session nor a user.
  package var mismatch: Mismatch?
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// Whether other accounts are signed in with the browser. The page then has a second button, with the name
  /// `accounts`, that signs out all accounts.
  package var hasOtherAccounts: Bool
  /// The address of the link "Stay signed in"; nil for no link.
  package var stayAction: String?

  package enum Mismatch: Sendable, CaseIterable {
    /// The session that the app asked to end belongs to a different user.
    case user
    /// The app asked to end a different session of the same user.
    case session
  }

  package init(
    username: String, appName: String? = nil, mismatch: Mismatch? = nil, action: String, csrfToken: String,
    hasOtherAccounts: Bool = false, stayAction: String? = nil
  ) {
    self.username = username
    self.appName = appName
    self.mismatch = mismatch
    self.action = action
    self.csrfToken = csrfToken
    self.hasOtherAccounts = hasOtherAccounts
    self.stayAction = stayAction
  }
}
