/// What a browser sends with a request that signs a user in.
package struct SignInBrowser: Sendable {
  /// The browser's session cookie.
  var session: String?
  /// The cookie of `KnownBrowsers`.
  var known: String?
  var userAgent: String?
  /// Whether the user said that the device belongs to someone else.
  var isOnPublicDevice: Bool

  package init(session: String?, known: String?, userAgent: String?, isOnPublicDevice: Bool) {
    self.session = session
    self.known = known
    self.userAgent = userAgent
    self.isOnPublicDevice = isOnPublicDevice
  }
}
