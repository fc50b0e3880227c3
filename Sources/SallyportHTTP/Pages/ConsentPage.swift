/// The page that asks whether an app may act for the person: a form with the hidden `csrf` and two buttons named `decision`,
/// whose values are `deny` and `allow`. An absent decision is a denial.
package struct ConsentPage: Sendable {
  /// The app, as it calls itself.
  package var appName: String
  /// Whether an operator registered the app; one that registered itself is marked "unverified" (S-26).
  package var isVerified: Bool
  package var username: String
  package var destination: Destination
  package var scopes: [ScopeLine]
  /// The services that the app's tokens will be for, by their addresses (RFC 8707); empty where it named none.
  package var resources: [String]
  package var asksAgainReason: AsksAgain?
  /// The short form, "Continue as …", for the operator's own apps.
  package var isFirstParty: Bool
  /// Where the form posts to.
  package var action: String
  package var csrfToken: String
  /// Where the link "Use another account" leads.
  package var switchAccountAction: String
  /// The host of the app's client-ID document, for an app that is known by such a document.
  package var documentHost: String?
  package var facts: AppFacts

  package init(
    appName: String, isVerified: Bool, username: String, destination: Destination, scopes: [ScopeLine],
    resources: [String] = [], asksAgainReason: AsksAgain? = nil, isFirstParty: Bool = false, action: String, csrfToken: String,
    switchAccountAction: String, documentHost: String? = nil, facts: AppFacts = AppFacts()
  ) {
    self.appName = appName
    self.isVerified = isVerified
    self.username = username
    self.destination = destination
    self.scopes = scopes
    self.resources = resources
    self.asksAgainReason = asksAgainReason
    self.isFirstParty = isFirstParty
    self.action = action
    self.csrfToken = csrfToken
    self.switchAccountAction = switchAccountAction
    self.documentHost = documentHost
    self.facts = facts
  }
}
