/// The question whether to end the browser's session.
package struct SignOutPage: Sendable {
  package var username: String
  /// The app that asks for it, where one does.
  package var appName: String?
  /// What the app means where it is not the session that would end.
  package var other: Other?
  /// Where the form posts to.
  package var action: String
  package var csrfToken: String
  /// Where the link "Stay signed in" leads; nil for none.
  package var stayAction: String?

  package enum Other: Sendable, CaseIterable {
    /// Somebody else's.
    case person
    /// Another one of the same person.
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
