import SallyportLook

extension Pages {
  private struct ErrorView {
    let site: Site
    let title: String
    let what: String
    let next: String
    let requestID: String
    let status: Int
  }

  package func error(_ page: ErrorPage) -> String {
    self.render(
      .error,
      ErrorView(
        site: self.site,
        title: DisplayText.clean(page.title, limit: 120) ?? "Something went wrong",
        what: DisplayText.clean(page.what, limit: 400) ?? "",
        next: DisplayText.clean(page.next, limit: 400) ?? "",
        requestID: DisplayText.clean(page.requestID, limit: 128) ?? "",
        status: page.status))
  }
}
