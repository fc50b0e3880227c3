import SallyportLanguages
import SallyportLook

extension Pages {
  private struct ConsentView {
    let site: Site
    let appName: String
    let isVerified: Bool
    let username: String
    let destination: Destination.View
    let scopes: [ScopeLine.View]
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
        appName: self.appName(page.appName),
        isVerified: page.isVerified,
        username: DisplayText.username(page.username),
        destination: page.destination.view,
        scopes: page.scopes.map { $0.view(self.texts) },
        resources: page.resources,
        hasResources: !page.resources.isEmpty,
        reason: page.reason.map { self.texts[$0.text] },
        // Only an operator can declare an app first-party. In addition, `isVerified` is checked, so that an app that no
        // operator registered always gets the full page.
        isShort: page.isFirstParty && page.isVerified,
        action: page.action,
        csrfToken: page.csrfToken,
        switchAccountAction: page.switchAccountAction,
        documentHost: page.documentHost,
        facts: page.facts.view(self.texts)))
  }
}
