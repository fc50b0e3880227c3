/// What a browser sends with a request that signs a user in.
package struct SignInBrowser: Sendable {
  var sessionCookie: String?
  /// The cookie of ``KnownBrowsers``.
  var knownBrowserCookie: String?
  var userAgent: String?
  /// Whether the user said that the device belongs to someone else.
  var isOnPublicDevice: Bool

  package init(sessionCookie: String?, knownBrowserCookie: String?, userAgent: String?, isOnPublicDevice: Bool) {
    self.sessionCookie = sessionCookie
    self.knownBrowserCookie = knownBrowserCookie
    self.userAgent = userAgent
    self.isOnPublicDevice = isOnPublicDevice
  }
}
