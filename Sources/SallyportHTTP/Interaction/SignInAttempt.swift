import Hummingbird
import Logging
import SallyportProtocol
import SallyportServer

/// A name and a password that came by a form of ours, on whichever way the person is.
struct SignInAttempt: Sendable {
  let server: AuthorizationServer
  let cookie: SessionCookie
  let hint: PersonCookie
  let browser: BrowserCookie
  let metrics: ServerMetrics

  /// What the browser of somebody who has just signed in is given.
  struct Cookies: Sendable {
    var session: Secret<String>
    var hint: Secret<String>?
    var browser: Secret<String>?
  }

  enum Outcome: Sendable {
    case failed(SignInFailure)
    case signedIn(Cookies)
  }

  func run(_ form: FormParameters, _ request: Request, _ context: ServerRequestContext) async throws -> Outcome {
    let (username, password) = (form["username"] ?? "", Secret(form["password"] ?? ""))
    let outcome = try await self.server.passwordSignIn.run(
      username: username, password: password, from: context.address, browser: self.browser.value(in: request),
      origin: context.origin)
    switch outcome {
    case .refused:
      context.logger.notice("sign-in refused")
      self.metrics.signedIn(.refused)
      return .failed(.wrongCredentials)
    case .overloaded:
      context.logger.warning("sign-in refused: too many passwords are being checked")
      self.metrics.signedIn(.overloaded)
      return .failed(.busy)
    case .slowed(let wait):
      context.logger.notice("sign-in slowed: too many have failed", metadata: ["address": "\(context.address)"])
      self.metrics.signedIn(.slowed)
      return .failed(.slowed(seconds: Int(wait.components.seconds) + 1))
    case .success(let account, let browser):
      let session = try await self.server.sessions.start(
        for: account, replacing: self.cookie.value(in: request), from: context.origin)
      guard let session else {
        self.metrics.signedIn(.refused)
        return .failed(.wrongCredentials)
      }
      context.logger.info("signed in", metadata: ["account": "\(account.id.rawValue)"])
      self.metrics.signedIn(.success)
      return .signedIn(
        Cookies(session: session, hint: self.server.returningPerson.seal(account), browser: browser))
    }
  }

  /// Goes on to `location` with the new session.
  func proceed(to location: String, with cookies: Cookies) -> Response {
    var response = Response.redirect(seeOther: location)
    self.cookie.set(cookies.session, on: &response)
    if let hint = cookies.hint { self.hint.set(hint, on: &response) }
    if let browser = cookies.browser { self.browser.set(browser, on: &response) }
    return response
  }

  /// Who signed in last in this browser, for the page to show (rule S-18).
  func lastUsername(in request: Request) -> String? {
    self.server.returningPerson.username(of: self.hint.value(in: request))
  }
}
