import SallyportLanguages
import SallyportLook

extension Pages {
  private struct ErrorView {
    let site: Site
    let title: String
    let explanation: String
    let advice: String
    let requestID: String
    let status: Int
  }

  package func error(_ page: ErrorPage) -> String {
    self.render(
      .error,
      ErrorView(
        site: self.site,
        title: DisplayText.clean(page.title, limit: 120) ?? self.texts[.errorTitle],
        explanation: DisplayText.clean(page.explanation, limit: 400) ?? "",
        advice: DisplayText.clean(page.advice, limit: 400) ?? "",
        requestID: DisplayText.clean(page.requestID, limit: 128) ?? "",
        status: page.status))
  }
}
