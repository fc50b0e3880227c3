import Hummingbird
import Logging
import SallyportProtocol
import SallyportServer

/// A name and a password that came by a form of ours, on whichever way the person is.
struct SignInAttempt<S: Store>: Sendable {
  let server: AuthorizationServer<S>
  let cookie: SessionCookie
  let hint: PersonCookie
  let metrics: ServerMetrics

  enum Outcome: Sendable {
    case failed(SignInFailure)
    case signedIn(session: Secret<String>, hint: Secret<String>?)
  }

  func run(_ form: FormParameters, _ request: Request, _ context: ServerRequestContext) async throws -> Outcome {
    let (username, password) = (form["username"] ?? "", Secret(form["password"] ?? ""))
    switch try await self.server.accounts.signIn(username: username, password: password) {
    case .refused:
      context.logger.notice("sign-in refused")
      self.metrics.signedIn(.refused)
      return .failed(.wrongCredentials)
    case .overloaded:
      context.logger.warning("sign-in refused: too many passwords are being checked")
      self.metrics.signedIn(.overloaded)
      return .failed(.busy)
    case .success(let account):
      guard let session = try await self.server.sessions.start(for: account, replacing: self.cookie.value(in: request)) else {
        self.metrics.signedIn(.refused)
        return .failed(.wrongCredentials)
      }
      context.logger.info("signed in", metadata: ["account": "\(account.id.rawValue)"])
      self.metrics.signedIn(.success)
      return .signedIn(session: session, hint: self.server.returningPerson.seal(account))
    }
  }

  /// Goes on to `location` with the new session.
  func proceed(to location: String, session: Secret<String>, hint: Secret<String>?) -> Response {
    var response = Response.redirect(seeOther: location)
    self.cookie.set(session, on: &response)
    if let hint { self.hint.set(hint, on: &response) }
    return response
  }

  /// Who signed in last in this browser, for the page to show (rule S-18).
  func lastUsername(in request: Request) -> String? {
    self.server.returningPerson.username(of: self.hint.value(in: request))
  }
}
