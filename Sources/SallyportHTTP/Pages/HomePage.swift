/// The issuer's own page: who is signed in in this browser, with a button to sign out.
package struct HomePage: Sendable {
  /// Nil when nobody is signed in.
  package var username: String?
  /// Where the sign-out button posts to; not used when nobody is signed in.
  package var signOutAction: String
  package var csrfToken: String

  package init(username: String? = nil, signOutAction: String = "", csrfToken: String = "") {
    self.username = username
    self.signOutAction = signOutAction
    self.csrfToken = csrfToken
  }
}
