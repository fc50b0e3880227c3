import SallyportLook

extension Pages {
  private struct SignInView {
    let site: Site
    let isForApp: Bool
    let isConfirmation: Bool
    let appName: String
    let isVerified: Bool
    let username: String
    let failure: String?
    let isInvalid: Bool
    let startsWithPassword: Bool
    let action: String
    let csrfToken: String
    let passkey: PasskeyPrompt.View?
    let forgotAction: String?
    let documentHost: String?
    let facts: AppFacts.View?
  }

  package func signIn(_ page: SignInPage) -> String {
    let username = DisplayText.fieldValue(page.username)
    return self.render(
      .signIn,
      SignInView(
        site: self.site,
        isForApp: page.purpose == .app,
        isConfirmation: page.purpose == .confirmation,
        appName: DisplayText.appName(page.appName),
        isVerified: page.isVerified,
        username: username,
        failure: page.failure?.sentence,
        isInvalid: page.failure == .wrongCredentials,
        startsWithPassword: !username.isEmpty,
        action: page.action,
        csrfToken: page.csrfToken,
        passkey: page.passkey?.view,
        forgotAction: page.forgotAction,
        documentHost: page.documentHost,
        facts: page.facts.view))
  }
}
