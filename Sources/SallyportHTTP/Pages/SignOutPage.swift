/// The page that asks whether to end the browser's session.
package struct SignOutPage: Sendable {
  package var username: String
  /// The app that requested the sign-out; nil if the user did.
  package var appName: String?
  /// The session that the app asked to end, if it is not the one in this browser.
  package var other: Other?
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The address of the link "Stay signed in"; nil for no link.
  package var stayAction: String?

  package enum Other: Sendable, CaseIterable {
    /// The session of another user.
    case user
    /// Another session of the same user.
    case session
  }

  package init(
    username: String, appName: String? = nil, other: Other? = nil, action: String, csrfToken: String, stayAction: String? = nil
  ) {
    self.username = username
    self.appName = appName
    self.other = other
    self.action = action
    self.csrfToken = csrfToken
    self.stayAction = stayAction
  }
}
