/// The warning on a sign-in page that is shown in an embedded web view.
package struct WebViewWarning: Sendable, Equatable {
  /// The warning for the sign-in page of the current request; nil if no warning is needed. Set by ``WebViewRoutes``, so
  /// that the routes of the sign-in do not have to recognize web views.
  @TaskLocal static var current: WebViewWarning?

  /// The path of the page that says how to continue in the browser.
  package var path: String

  package init(path: String) {
    self.path = path
  }
}
