import SallyportLook

extension Pages {
  private struct DeviceView {
    let site: Site
    let userCode: String
    let isGiven: Bool
    let failure: String?
    let isDone: Bool
    let isAllowed: Bool
    let appName: String
    let action: String
    let csrfToken: String
  }

  package func device(_ page: DevicePage) -> String {
    self.render(
      .device,
      DeviceView(
        site: self.site, userCode: DisplayText.fieldValue(page.userCode), isGiven: !page.userCode.isEmpty,
        failure: page.failure?.sentence, isDone: page.decision != nil, isAllowed: page.decision == .allowed,
        appName: DisplayText.appName(page.appName), action: page.action, csrfToken: page.csrfToken))
  }
}
