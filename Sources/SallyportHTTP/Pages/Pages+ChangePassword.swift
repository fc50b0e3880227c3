import SallyportLanguages
import SallyportLook

extension Pages {
  /// The values of the template. For those that are not described here, see ``ChangePasswordPage``.
  private struct ChangePasswordView {
    let site: Site
    let username: String
    let failure: String?
    /// Whether the failure is caused by the entered passwords, so that the fields are marked as invalid.
    let isInvalid: Bool
    let isFirst: Bool
    let signsOut: Bool
    /// The text about the minimum length.
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
