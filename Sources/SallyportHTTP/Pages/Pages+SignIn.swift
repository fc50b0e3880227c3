import SallyportLook

extension Pages {
  private struct SignInView {
    let site: Site
    let isForApp: Bool
    let isForDevice: Bool
    let isForAccount: Bool
    let isConfirmation: Bool
    let confirmation: String?
    let acceptsPassword: Bool
    let appName: String
    let isVerified: Bool
    let username: String
    let failure: String?
    let missingFactor: MissingFactorView?
    /// Whether the user name and the password are marked as invalid.
    let isInvalid: Bool
    let isOnPublicDevice: Bool
    /// Whether the password field has the initial focus, because the user name is already filled in.
    let startsWithPassword: Bool
    let action: String
    let csrfToken: String
    let passkey: PasskeyPrompt.View?
    let forgotAction: String?
    let signUpAction: String?
    let documentHost: String?
    let facts: AppFacts.View?
    let webView: WebViewWarning?
    let upstreams: UpstreamsView?
  }

  private struct UpstreamsView {
    let choices: [UpstreamChoice]
  }

  private struct MissingFactorView {
    let isPasskey: Bool
    let isAttestedPasskey: Bool
    let isSecondFactor: Bool
    let username: String
    let appName: String
    let accountAction: String
  }

  package func signIn(_ page: SignInPage) -> String {
    let texts = self.texts
    let username = DisplayText.fieldValue(page.username)
    var confirmation: SignInPage.Confirmation?
    if case .confirmation(let value) = page.purpose { confirmation = value }
    let acceptsPassword = confirmation?.acceptsPassword ?? true
    let passwordCanSuffice = confirmation?.passwordCanSuffice ?? true
    return self.render(
      .signIn,
      SignInView(
        site: self.site,
        isForApp: page.purpose == .app,
        isForDevice: page.purpose == .device,
        isForAccount: page.purpose == .account,
        isConfirmation: confirmation != nil,
        confirmation: confirmation?.sentence(hasProviders: !page.upstreams.isEmpty, texts),
        acceptsPassword: acceptsPassword,
        appName: self.appName(page.appName),
        isVerified: page.isVerified,
        username: username,
        failure: page.failure?.sentence(passwordCanSuffice: passwordCanSuffice, texts),
        missingFactor: page.missingFactor.map { factor in
          MissingFactorView(
            isPasskey: factor.kind == .passkey, isAttestedPasskey: factor.kind == .attestedPasskey,
            isSecondFactor: factor.kind == .secondFactor, username: DisplayText.fieldValue(factor.username),
            appName: self.appName(page.appName), accountAction: factor.accountAction)
        },
        isInvalid: page.failure == .wrongCredentials,
        isOnPublicDevice: page.isOnPublicDevice,
        startsWithPassword: !username.isEmpty,
        action: page.action,
        csrfToken: page.csrfToken,
        passkey: page.passkey?.view(passwordCanSuffice: passwordCanSuffice, texts),
        forgotAction: page.forgotAction,
        signUpAction: page.signUpAction,
        documentHost: page.documentHost,
        facts: page.facts.view(texts),
        webView: page.webView,
        upstreams: page.upstreams.isEmpty ? nil : UpstreamsView(choices: page.upstreams)))
  }
}
