import SallyportLook

extension Pages {
  private struct SignOutView {
    let site: Site
    let username: String
    let appName: String?
    let appExpectsOtherUser: Bool
    let appExpectsOtherSession: Bool
    let action: String
    let csrfToken: String
    let hasOtherAccounts: Bool
    let stayAction: String?
  }

  private struct SignedOutView {
    let site: Site
    let username: String?
    let hadSeveralAccounts: Bool
    let isAccountDeleted: Bool
    let providerURL: String?
    let providerName: String
  }

  private struct HomeView {
    let site: Site
    let username: String?
    let signOutAction: String
    let accountPath: String
    let csrfToken: String
  }

  package func signOut(_ page: SignOutPage) -> String {
    self.render(
      .signOut,
      SignOutView(
        site: self.site,
        username: DisplayText.username(page.username),
        appName: page.appName.map { self.appName($0) },
        appExpectsOtherUser: page.mismatch == .user,
        appExpectsOtherSession: page.mismatch == .session,
        action: page.action,
        csrfToken: page.csrfToken,
        hasOtherAccounts: page.hasOtherAccounts,
        stayAction: page.stayAction))
  }

  package func signedOut(_ page: SignedOutPage) -> String {
    self.render(
      .signedOut,
      SignedOutView(
        site: self.site, username: page.username.map(DisplayText.username),
        hadSeveralAccounts: page.hadSeveralAccounts, isAccountDeleted: page.isAccountDeleted,
        providerURL: page.provider?.url,
        providerName: page.provider.map { DisplayText.clean($0.name) ?? $0.name } ?? ""))
  }

  package func home(_ page: HomePage) -> String {
    self.render(
      .home,
      HomeView(
        site: self.site,
        username: page.username.map(DisplayText.username),
        signOutAction: page.signOutAction,
        accountPath: page.accountPath,
        csrfToken: page.csrfToken))
  }
}
