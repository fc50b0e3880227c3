import Hummingbird
import SallyportProtocol
import SallyportServer

/// The cookie by which a browser in which people have signed in is not slowed with strangers (``KnownBrowsers``). It stays when
/// somebody signs out: who cannot be known again is who could be locked out.
struct BrowserCookie: Sendable {
  let issuer: Issuer

  private var name: String { self.issuer.isHTTPS ? "__Host-sallyport-browser" : "sallyport-browser" }

  func value(in request: Request) -> String? {
    request.cookie(self.name)
  }

  /// `Strict`: it is of use with our own forms only.
  func set(_ value: Secret<String>, on response: inout Response) {
    response.setCookie(
      Cookie(
        name: self.name, value: value.reveal(), maxAge: Int(KnownBrowsers.lifetime.components.seconds), path: "/",
        secure: self.issuer.isHTTPS, httpOnly: true, sameSite: .strict))
  }
}
