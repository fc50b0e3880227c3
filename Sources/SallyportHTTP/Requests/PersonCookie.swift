import Hummingbird
import SallyportProtocol
import SallyportServer

/// The cookie by which a browser knows its person's name again, without being signed in (RFC 8252 §8.7, rule S-18). Who signs out
/// is forgotten.
struct PersonCookie: Sendable {
  let issuer: Issuer

  private var name: String { self.issuer.isHTTPS ? "__Host-sallyport-person" : "sallyport-person" }

  func value(in request: Request) -> String? {
    request.cookie(self.name)
  }

  func set(_ value: Secret<String>, on response: inout Response) {
    self.write(value.reveal(), maxAge: Int(ReturningPerson.lifetime.components.seconds), on: &response)
  }

  func clear(on response: inout Response) {
    self.write("", maxAge: 0, on: &response)
  }

  private func write(_ value: String, maxAge: Int, on response: inout Response) {
    response.setCookie(
      Cookie(
        name: self.name, value: value, maxAge: maxAge, path: "/", secure: self.issuer.isHTTPS, httpOnly: true, sameSite: .lax))
  }
}
