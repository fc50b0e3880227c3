/// What a browser sends with a request that signs a user in.
package struct SignInBrowser: Sendable {
  /// The cookie of the browser's current session.
  var session: String?
  /// The cookie of `KnownBrowsers`.
  var known: String?
  var userAgent: String?

  package init(session: String?, known: String?, userAgent: String?) {
    self.session = session
    self.known = known
    self.userAgent = userAgent
  }
}
