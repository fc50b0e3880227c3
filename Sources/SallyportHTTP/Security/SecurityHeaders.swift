import HTTPTypes
import Hummingbird
import SallyportProtocol

/// The headers that every answer carries. Pages add their own policy, see ``Renderer``.
struct SecurityHeaders: RouterMiddleware {
  let issuer: Issuer

  private static let always = [
    HTTPField(name: .xContentTypeOptions, value: "nosniff"),
    HTTPField(name: .xFrameOptions, value: "DENY"),
    // Not `no-referrer`: with it browsers send `Origin: null` with our own forms.
    HTTPField(name: .referrerPolicy, value: "same-origin"),
    HTTPField(name: .permissionsPolicy, value: "camera=(), geolocation=(), microphone=(), payment=()"),
  ]

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // Appended, since nobody else sets them: to replace a field is to search for it.
    response.headers.append(contentsOf: Self.always)
    if response.headers[.contentSecurityPolicy] == nil {
      response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    }
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    if self.issuer.isHTTPS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
    return response
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
