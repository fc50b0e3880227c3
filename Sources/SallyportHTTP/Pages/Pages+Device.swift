import SallyportLanguages
import SallyportLook

extension Pages {
  private struct DeviceView {
    let site: Site
    let userCode: String
    let hasUserCode: Bool
    let failure: String?
    let isDecided: Bool
    let isAllowed: Bool
    let appName: String
    let action: String
    let csrfToken: String
  }

  package func device(_ page: DevicePage) -> String {
    self.render(
      .device,
      DeviceView(
        site: self.site, userCode: DisplayText.fieldValue(page.userCode), hasUserCode: !page.userCode.isEmpty,
        failure: page.failure.map { self.texts[$0.text] }, isDecided: page.decision != nil, isAllowed: page.decision == .allowed,
        appName: self.appName(page.appName), action: page.action, csrfToken: page.csrfToken))
  }
}
