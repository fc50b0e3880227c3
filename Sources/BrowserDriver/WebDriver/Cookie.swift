/// A cookie that the browser would send to the current page.
package struct Cookie: Decodable, Equatable, Sendable {
  package var name: String
  package var value: String
  package var path: String?
  package var domain: String?
  package var secure: Bool?
  package var httpOnly: Bool?
  package var sameSite: String?
  /// When the browser deletes the cookie, in seconds since 1970, or `nil` for a cookie that lasts until the browser is
  /// closed.
  package var expiry: Int64?
}
