/// The server's home page. It shows the user who is signed in with this browser and a button to sign out. If no user is
/// signed in, it shows a link for signing in.
package struct HomePage: Sendable {
  /// Nil if no user is signed in.
  package var username: String?
  /// The address to which the sign-out form is posted. Not used if no user is signed in.
  package var signOutAction: String
  package var csrfToken: String
  /// The path of the account page.
  package var accountPath: String

  package init(username: String? = nil, signOutAction: String = "", csrfToken: String = "", accountPath: String = "/account") {
    self.username = username
    self.signOutAction = signOutAction
    self.csrfToken = csrfToken
    self.accountPath = accountPath
  }
}
