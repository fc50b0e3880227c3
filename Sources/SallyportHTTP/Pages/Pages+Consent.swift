import SallyportLook

extension Pages {
  private struct ConsentView {
    let site: Site
    let appName: String
    let isVerified: Bool
    let username: String
    let destination: Destination.Words
    let scopes: [ScopeLine]
    let resources: [String]
    let hasResources: Bool
    let reason: String?
    let isShort: Bool
    let action: String
    let csrfToken: String
    let switchAccountAction: String
    let documentHost: String?
    let facts: AppFacts.View?
  }

  package func consent(_ page: ConsentPage) -> String {
    self.render(
      .consent,
      ConsentView(
        site: self.site,
        appName: DisplayText.appName(page.appName),
        isVerified: page.isVerified,
        username: DisplayText.clean(page.username) ?? page.username,
        destination: page.destination.words,
        scopes: page.scopes,
        resources: page.resources,
        hasResources: !page.resources.isEmpty,
        reason: page.reason?.sentence,
        // Only an operator can declare an app first-party. All apps that no operator registered get the full page.
        isShort: page.isFirstParty && page.isVerified,
        action: page.action,
        csrfToken: page.csrfToken,
        switchAccountAction: page.switchAccountAction,
        documentHost: page.documentHost,
        facts: page.facts.view))
  }
}
