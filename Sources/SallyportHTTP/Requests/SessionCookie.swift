import Hummingbird
import SallyportProtocol

/// The cookie by which a browser's session is known.
///
/// Where the issuer is `https` its name begins with `__Host-`: it came over TLS from this very host, and no neighbour can set it.
struct SessionCookie: Sendable {
  let issuer: Issuer
  let lifetime: Duration

  var name: String { self.issuer.isHTTPS ? "__Host-sallyport" : "sallyport" }

  func value(in request: Request) -> String? {
    request.cookie(self.name)
  }

  func set(_ value: Secret<String>, on response: inout Response) {
    self.write(value.reveal(), maxAge: Int(self.lifetime.components.seconds), on: &response)
  }

  func clear(on response: inout Response) {
    self.write("", maxAge: 0, on: &response)
  }

  /// `Lax`: the person comes from the app or another site by a link, and must be known then.
  private func write(_ value: String, maxAge: Int, on response: inout Response) {
    response.setCookie(
      Cookie(
        name: self.name, value: value, maxAge: maxAge, path: "/", secure: self.issuer.isHTTPS, httpOnly: true, sameSite: .lax))
  }
}
