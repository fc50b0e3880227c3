import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol

/// The headers that answers carry whoever gives them: a few all of them, some more those that a browser shows or follows. Pages add their
/// own policy, see ``Renderer``.
struct SecurityHeaders: Sendable {
  private let always: [HTTPField]

  init(issuer: Issuer) {
    var always = [HTTPField(name: .xContentTypeOptions, value: "nosniff")]
    if issuer.isHTTPS { always.append(HTTPField(name: .strictTransportSecurity, value: "max-age=31536000")) }
    self.always = always
  }

  private static let ofPages = [
    HTTPField(name: .xFrameOptions, value: "DENY"),
    // Not `no-referrer`: with it browsers send `Origin: null` with our own forms.
    HTTPField(name: .referrerPolicy, value: "same-origin"),
  ]
  /// Of what is no page: nothing is loaded for it, and nobody frames it.
  private static let policy = HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'")
  private static let noStore = HTTPField(name: .cacheControl, value: "no-store")

  func add(to response: inout Response) {
    let isPage = response.headers.contains(.contentSecurityPolicy)
    // Appended, since nobody else sets them: to replace a field is to search for it.
    response.headers.append(contentsOf: self.always)
    if isPage || response.status.kind == .redirection { response.headers.append(contentsOf: Self.ofPages) }
    if !isPage { response.headers.append(Self.policy) }
    if !response.headers.contains(.cacheControl) { response.headers.append(Self.noStore) }
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

  /// A name that is a token (RFC 9110 §5.1) because it is written here.
  static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}
