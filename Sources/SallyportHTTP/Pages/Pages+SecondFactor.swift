import SallyportLanguages
import SallyportLook
import SallyportProtocol

extension Pages {
  // The structures contain the values that the templates insert.

  private struct SecondFactorView {
    let site: Site
    let username: String
    let acceptsApp: Bool
    let acceptsRecoveryCode: Bool
    let failure: String?
    let action: String
    let csrfToken: String
    let state: String
    let isOnPublicDevice: Bool
    let startOverAction: String
  }

  private struct AuthenticatorAppView {
    struct Code {
      let size: Int
      let path: String
    }

    let site: Site
    let code: Code?
    let secret: String
    let enrollment: String
    let failure: String?
    let action: String
    let csrfToken: String
    let cancelAction: String
  }

  private struct RecoveryCodesView {
    let site: Site
    let status: String
    let username: String
    let codes: [String]
    let acceptsPassword: Bool
    let accountAction: String
  }

  package func secondFactor(_ page: SecondFactorPage) -> String {
    self.render(
      .secondFactor,
      SecondFactorView(
        site: self.site, username: DisplayText.username(page.username), acceptsApp: page.acceptsApp,
        acceptsRecoveryCode: page.acceptsRecoveryCode, failure: page.failureSentence(self.texts), action: page.action,
        csrfToken: page.csrfToken, state: page.state, isOnPublicDevice: page.isOnPublicDevice,
        startOverAction: page.startOverAction))
  }

  package func authenticatorApp(_ page: AuthenticatorAppPage) -> String {
    self.render(
      .authenticatorApp,
      AuthenticatorAppView(
        site: self.site,
        code: page.qrCode.map { AuthenticatorAppView.Code(size: $0.size, path: $0.path.reveal()) },
        secret: page.secret.reveal(), enrollment: page.enrollment.reveal(),
        failure: page.isCodeWrong ? self.texts[.enrollmentCodeWrong] : nil,
        action: page.action, csrfToken: page.csrfToken, cancelAction: page.cancelAction))
  }

  package func recoveryCodes(_ page: RecoveryCodesPage) -> String {
    self.render(
      .recoveryCodes,
      RecoveryCodesView(
        site: self.site, status: self.texts[page.occasion.text],
        username: DisplayText.username(page.username), codes: page.codes.map { $0.reveal() },
        acceptsPassword: page.acceptsPassword, accountAction: page.accountAction))
  }
}
