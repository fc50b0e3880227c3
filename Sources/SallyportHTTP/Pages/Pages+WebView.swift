extension Pages {
  private struct WebViewView {
    let site: Site
    let appName: String?
    let address: String
    let intent: String?
  }

  package func webView(_ page: WebViewPage) -> String {
    self.render(
      .webView,
      WebViewView(
        site: self.site, appName: page.appName.map { self.appName($0) }, address: page.address, intent: page.intent))
  }
}
