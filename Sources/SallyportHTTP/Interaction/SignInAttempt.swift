import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
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

  /// A new password is needed before the sign-in goes on.
  struct PasswordChange: Sendable {
    var username: String
    var proof: Secret<String>
    var failure: ChangePasswordPage.Failure?
  }

  enum Outcome: Sendable {
    case failed(SignInFailure)
    case passwordChange(PasswordChange)
    case signedIn(AccountRecord, Cookies)
  }

  /// The sign-in form came back.
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
      self.noteOverload(context)
      return .failed(.busy)
    case .slowed(let wait): return .failed(.slowed(seconds: self.noteSlowed(wait, context)))
    case .passwordChangeNeeded(let account, let proof):
      context.logger.info("new password needed", metadata: ["account": "\(account.id.rawValue)"])
      return .passwordChange(PasswordChange(username: account.username.value, proof: proof))
    case .success(let account, let browser): return try await self.start(account, browser, request, context)
    }
  }

  /// The form for a new password came back.
  func changePassword(
    _ form: FormParameters, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Outcome {
    let proof = Secret(form["proof"] ?? "")
    let outcome = try await self.server.passwordSignIn.changePassword(
      to: Secret(form["new-password"] ?? ""), repeated: Secret(form["new-password-repeat"] ?? ""), proof: proof,
      from: context.address, browser: self.browser.value(in: request), origin: context.origin)
    switch outcome {
    case .proofInvalid: return .failed(.expired)
    case .refused(let account, let refusal):
      let failure: ChangePasswordPage.Failure
      switch refusal {
      case .different: failure = .different
      case .violation(let violation): failure = .notAccepted(explanation: violation.explanation)
      case .slowed(let wait): failure = .slowed(seconds: self.noteSlowed(wait, context))
      case .overloaded:
        self.noteOverload(context)
        failure = .busy
      }
      return .passwordChange(PasswordChange(username: account.username.value, proof: proof, failure: failure))
    case .success(let account, let browser):
      context.logger.info("password changed", metadata: ["account": "\(account.id.rawValue)"])
      return try await self.start(account, browser, request, context)
    }
  }

  private func start(
    _ account: AccountRecord, _ browser: Secret<String>?, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Outcome {
    let session = try await self.server.sessions.start(
      for: account, replacing: self.cookie.value(in: request), from: context.origin)
    guard let session else {
      self.metrics.signedIn(.refused)
      return .failed(.wrongCredentials)
    }
    context.logger.info("signed in", metadata: ["account": "\(account.id.rawValue)"])
    self.metrics.signedIn(.success)
    return .signedIn(
      account, Cookies(session: session, hint: self.server.returningPerson.seal(account), browser: browser))
  }

  private func noteOverload(_ context: ServerRequestContext) {
    context.logger.warning("sign-in refused: too many passwords are being checked")
    self.metrics.signedIn(.overloaded)
  }

  /// - Returns: the wait in whole seconds.
  private func noteSlowed(_ wait: Duration, _ context: ServerRequestContext) -> Int {
    context.logger.notice("sign-in slowed: too many have failed", metadata: ["address": "\(context.address)"])
    self.metrics.signedIn(.slowed)
    return Int(wait.components.seconds) + 1
  }

  /// The page on which a user chooses the new password.
  /// - Parameter interaction: the identifier of the interaction that goes on afterwards.
  func page(for change: PasswordChange, action: String, interaction: String) -> ChangePasswordPage {
    ChangePasswordPage(
      username: change.username, failure: change.failure,
      minimumLength: self.server.configuration.passwords.minimumLength, action: action,
      csrfToken: self.server.csrfTokens.token(purpose: "change password", session: nil, interaction: interaction),
      proof: change.proof.reveal())
  }

  /// Gives the browser its new session.
  func set(_ cookies: Cookies, on response: inout Response) {
    self.cookie.set(cookies.session, on: &response)
    if let hint = cookies.hint { self.hint.set(hint, on: &response) }
    if let browser = cookies.browser { self.browser.set(browser, on: &response) }
  }

  /// Who signed in last in this browser, for the page to show (rule S-18).
  func lastUsername(in request: Request) -> String? {
    self.server.returningPerson.username(of: self.hint.value(in: request))
  }
}
