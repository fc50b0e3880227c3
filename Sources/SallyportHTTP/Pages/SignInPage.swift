/// The page that asks for user name and password: a form with the fields `username`, `password` and the hidden `csrf`.
package struct SignInPage: Sendable {
  /// The app that the person comes from, as it calls itself.
  package var appName: String
  /// Whether an operator registered the app; one that registered itself is marked "unverified" (S-26).
  package var isVerified: Bool
  /// What the user name's field shows at first: the request's `login_hint`, or the failed attempt's name.
  package var username: String
  package var failure: SignInFailure?
  /// Where the form posts to.
  package var action: String
  package var csrfToken: String
  /// The host of the app's client-ID document, for an app that is known by such a document.
  package var documentHost: String?
  package var facts: AppFacts

  package init(
    appName: String, isVerified: Bool = true, username: String = "", failure: SignInFailure? = nil, action: String,
    csrfToken: String, documentHost: String? = nil, facts: AppFacts = AppFacts()
  ) {
    self.appName = appName
    self.isVerified = isVerified
    self.username = username
    self.failure = failure
    self.action = action
    self.csrfToken = csrfToken
    self.documentHost = documentHost
    self.facts = facts
  }
}
