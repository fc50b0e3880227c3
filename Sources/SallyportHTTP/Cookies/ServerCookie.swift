import Hummingbird
import SallyportProtocol

/// A cookie of the server.
///
/// If the issuer is `https`, the name begins with `__Host-`: browsers accept such a cookie only over TLS and from this
/// exact host, so other hosts of the same domain cannot set it.
struct ServerCookie: Sendable {
  private let name: String
  private let lifetime: Duration
  private let sameSite: Cookie.SameSite
  private let isSecure: Bool

  /// - Parameter name: The name without its `__Host-` prefix.
  init(_ name: String, issuer: Issuer, lifetime: Duration, sameSite: Cookie.SameSite) {
    self.name = issuer.isHTTPS ? "__Host-\(name)" : name
    self.lifetime = lifetime
    self.sameSite = sameSite
    self.isSecure = issuer.isHTTPS
  }

  func value(in request: Request) -> String? {
    request.cookie(self.name)
  }

  /// - Parameter isPersistent: Whether the browser keeps the cookie when the user closes the browser.
  func set(_ value: Secret<String>, isPersistent: Bool = true, on response: inout Response) {
    self.write(value.reveal(), maxAge: isPersistent ? Int(self.lifetime.components.seconds) : nil, on: &response)
  }

  /// Tells the browser to delete the cookie.
  func clear(on response: inout Response) {
    self.write("", maxAge: 0, on: &response)
  }

  private func write(_ value: String, maxAge: Int?, on response: inout Response) {
    response.setCookie(
      Cookie(
        name: self.name, value: value, maxAge: maxAge, path: "/", secure: self.isSecure, httpOnly: true,
        sameSite: self.sameSite))
  }
}
