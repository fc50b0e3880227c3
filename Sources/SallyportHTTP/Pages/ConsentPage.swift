/// The page that asks whether an app may use the user's account.
///
/// Its form has the hidden field `csrf` and two buttons named `decision` with the values `deny` and `allow`. A
/// posted form without a decision counts as a denial.
package struct ConsentPage: Sendable {
  /// The name in the app's registration.
  package var appName: String
  /// Whether an operator registered the app. The page marks other apps as unverified (rule S-26).
  package var isVerified: Bool
  package var username: String
  package var destination: Destination
  package var scopes: [ScopeLine]
  /// The resource indicators of the request (RFC 8707), which name the services that accept the tokens.
  package var resources: [String]
  /// Why the user is asked for consent; nil if this needs no explanation, for example because the app asks for the
  /// first time.
  package var reason: ConsentReason?
  /// Whether the app belongs to the operator. Such an app gets a shorter page ("Continue as …") if it is also verified.
  package var isFirstParty: Bool
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The address of the link "Use another account".
  package var switchAccountAction: String
  /// The host of the client metadata document; nil if the app is not identified by one.
  package var documentHost: String?
  /// The app's own links and contacts, from its registration. None of them is verified.
  package var facts: AppFacts

  package init(
    appName: String, isVerified: Bool, username: String, destination: Destination, scopes: [ScopeLine],
    resources: [String] = [], reason: ConsentReason? = nil, isFirstParty: Bool = false, action: String, csrfToken: String,
    switchAccountAction: String, documentHost: String? = nil, facts: AppFacts = AppFacts()
  ) {
    self.appName = appName
    self.isVerified = isVerified
    self.username = username
    self.destination = destination
    self.scopes = scopes
    self.resources = resources
    self.reason = reason
    self.isFirstParty = isFirstParty
    self.action = action
    self.csrfToken = csrfToken
    self.switchAccountAction = switchAccountAction
    self.documentHost = documentHost
    self.facts = facts
  }
}
