import SallyportLanguages
import SallyportLook

extension Pages {
  private struct ChangePasswordView {
    let site: Site
    let username: String
    let failure: String?
    let isInvalid: Bool
    let isFirst: Bool
    let signsOut: Bool
    let length: String
    let action: String
    let csrfToken: String
    let proof: String?
    let isOnPublicDevice: Bool
    let cancelAction: String?
  }

  package func changePassword(_ page: ChangePasswordPage) -> String {
    let isInvalid =
      switch page.failure {
      case .entriesDiffer, .notAccepted: true
      case .throttled, .busy, nil: false
      }
    return self.render(
      .changePassword,
      ChangePasswordView(
        site: self.site, username: DisplayText.fieldValue(page.username), failure: page.failure?.sentence(self.texts),
        isInvalid: isInvalid, isFirst: page.isFirst, signsOut: page.signsOut,
        length: self.texts(.passwordLength, ["count": .number(page.minimumLength)]), action: page.action,
        csrfToken: page.csrfToken,
        proof: page.proof, isOnPublicDevice: page.isOnPublicDevice, cancelAction: page.cancelAction))
  }
}
