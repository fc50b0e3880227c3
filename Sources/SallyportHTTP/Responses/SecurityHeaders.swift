import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol

/// Adds the security headers that a response needs to each response of the router, `Cache-Control` to responses that
/// have none, and `Retry-After` to a 503 without one. Pages (see ``Renderer``) and SVG images already have their own
/// content security policy.
struct SecurityHeaders: Sendable {
  private let common: [HTTPField]

  init(issuer: Issuer) {
    var common = [HTTPField(name: .xContentTypeOptions, value: "nosniff")]
    if issuer.isHTTPS { common.append(HTTPField(name: .strictTransportSecurity, value: "max-age=31536000")) }
    self.common = common
  }

  private static let frameOptions = HTTPField(name: .xFrameOptions, value: "DENY")
  /// The policy is not `no-referrer`, because browsers would then send `Origin: null` with the server's own forms.
  private static let referrerPolicy = HTTPField(name: .referrerPolicy, value: "same-origin")
  /// The content security policy of responses that have no policy of their own: these responses load nothing, and no
  /// page can show them in a frame.
  private static let defaultPolicy = HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'")
  /// When to repeat a request that failed with status 503, in seconds. Usually, the store was not available.
  private static let retrySoon = HTTPField(name: .retryAfter, value: "1")
  private static let noStore = HTTPField(name: .cacheControl, value: "no-store")

  func add(to response: inout Response) {
    let hasPolicy = response.headers.contains(.contentSecurityPolicy)
    // The fields are appended and not set, because setting a field searches for an existing one first, and nothing else
    // adds these fields.
    response.headers.append(contentsOf: self.common)
    // These fields are only for responses that a browser shows or follows: pages and SVG images, which have a policy of
    // their own, and redirects.
    if hasPolicy || response.status.kind == .redirection {
      response.headers.append(Self.frameOptions)
      // The page of a one-time link has a stricter referrer policy, because its address contains a token.
      if !response.headers.contains(.referrerPolicy) { response.headers.append(Self.referrerPolicy) }
    }
    if !hasPolicy { response.headers.append(Self.defaultPolicy) }
    if !response.headers.contains(.cacheControl) { response.headers.append(Self.noStore) }
    if response.status == .serviceUnavailable, !response.headers.contains(.retryAfter) {
      response.headers.append(Self.retrySoon)
    }
  }
}

extension HTTPField.Name {
  static let xFrameOptions = Self.known("X-Frame-Options")
  static let referrerPolicy = Self.known("Referrer-Policy")
  static let permissionsPolicy = Self.known("Permissions-Policy")
  static let crossOriginOpenerPolicy = Self.known("Cross-Origin-Opener-Policy")
  static let crossOriginResourcePolicy = Self.known("Cross-Origin-Resource-Policy")
  static let pragma = Self.known("Pragma")
  static let secFetchSite = Self.known("Sec-Fetch-Site")
}
