/// The page that asks whether the person wants to sign out: one button that posts, and a way back.
package struct SignOutPage: Sendable {
  package var username: String
  /// The app that asks for it, where one does.
  package var appName: String?
  /// Where the form posts to.
  package var action: String
  package var csrfToken: String
  /// Where the link "Stay signed in" leads; nil for none.
  package var stayAction: String?

  package init(username: String, appName: String? = nil, action: String, csrfToken: String, stayAction: String? = nil) {
    self.username = username
    self.appName = appName
    self.action = action
    self.csrfToken = csrfToken
    self.stayAction = stayAction
  }
}
