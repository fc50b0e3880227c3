/// The server's home page. It shows which user is signed in with this browser, and a button to sign out.
package struct HomePage: Sendable {
  /// Nil if no user is signed in.
  package var username: String?
  /// The address to which the sign-out form is posted. Not used if no user is signed in.
  package var signOutAction: String
  package var csrfToken: String

  package init(username: String? = nil, signOutAction: String = "", csrfToken: String = "") {
    self.username = username
    self.signOutAction = signOutAction
    self.csrfToken = csrfToken
  }
}
