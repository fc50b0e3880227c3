import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// Handles the sign-in form and the change-password form, for authorization requests, devices, and the account page.
struct SignInForms: Sendable {
  let server: AuthorizationServer
  let cookies: ServerCookies
  let metrics: ServerMetrics

  /// The cookie values for a browser in which a user has just signed in.
  struct Credentials: Sendable {
    var session: Secret<String>
    var returningUser: Secret<String>?
    var knownBrowser: Secret<String>?
  }

  /// A sign-in that continues only after the user has chosen a new password.
  struct PasswordChange: Sendable {
    var username: String
    /// Proof that the user entered the current password.
    var proof: Secret<String>
    var failure: ChangePasswordPage.Failure?
  }

  enum Outcome: Sendable {
    case failed(SignInFailure)
    case passwordChange(PasswordChange)
    case signedIn(AccountRecord, Credentials)
  }

  /// Signs in the user whose name and password are in the form.
  func signIn(_ form: FormParameters, _ request: Request, _ context: ServerRequestContext) async throws -> Outcome {
    let (username, password) = (form["username"] ?? "", Secret(form["password"] ?? ""))
    let outcome = try await self.server.passwordSignIn.run(
      username: username, password: password, from: context.address, browser: self.cookies.knownBrowser.value(in: request),
      origin: context.origin)
    switch outcome {
    case .rejected:
      context.logger.notice("sign-in rejected")
      self.metrics.signedIn(.rejected)
      return .failed(.wrongCredentials)
    case .overloaded:
      self.recordOverload(context)
      return .failed(.busy)
    case .throttled(let wait): return .failed(.throttled(seconds: self.noteThrottled(wait, context)))
    case .passwordChangeNeeded(let account, let proof):
      context.logger.info("new password required", metadata: ["account": "\(account.id.rawValue)"])
      return .passwordChange(PasswordChange(username: account.username.value, proof: proof))
    case .success(let account, let browser): return try await self.startSession(account, browser, request, context)
    }
  }

  /// Returns the button for a passkey on a sign-in page; nil if passkeys cannot be used.
  /// - Parameters:
  ///   - action: The address to which the form is posted.
  ///   - interaction: The identifier of the interaction to which the challenge is bound.
  func passkey(action: String, csrfToken: String, interaction: String) -> PasskeyPrompt? {
    guard let form = self.server.passkeySignIn?.form(interaction: interaction) else { return nil }
    return PasskeyPrompt(.signIn, form: form, action: action, csrfToken: csrfToken)
  }

  /// Signs in the user whose passkey is in the form.
  /// - Parameters:
  ///   - interaction: The identifier of the interaction for which the form was shown.
  ///   - expected: The only account that is accepted; nil to accept any.
  func signInWithPasskey(
    _ form: FormParameters, _ request: Request, _ context: ServerRequestContext, interaction: String,
    for expected: AccountID? = nil
  ) async throws -> Outcome {
    guard let passkeys = self.server.passkeySignIn else { return .failed(.wrongPasskey) }
    let browser = PasskeySignIn.Browser(
      session: self.cookies.session.value(in: request), known: self.cookies.knownBrowser.value(in: request),
      userAgent: request.headers[.userAgent])
    let outcome = try await passkeys.run(
      response: form["response"] ?? "", challenge: Secret(form["challenge"] ?? ""), interaction: interaction,
      for: expected, browser, from: context.origin)
    switch outcome {
    case .expired: return .failed(.expired)
    case .otherUser: return .failed(.otherUser)
    case .rejected:
      context.logger.notice("passkey rejected")
      self.metrics.signedIn(.rejected)
      return .failed(.wrongPasskey)
    case .success(let account, let session, let browser):
      return self.signedIn(account, session: session, browser, context)
    }
  }

  /// Changes the password and signs the user in.
  /// - Parameter proof: Proof that the user may choose a new password; nil if the form contains it.
  func changePassword(
    _ form: FormParameters, proof: Secret<String>? = nil, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Outcome {
    let proof = proof ?? Secret(form["proof"] ?? "")
    let outcome = try await self.server.passwordSignIn.changePassword(
      to: Secret(form["new-password"] ?? ""), repeated: Secret(form["new-password-repeat"] ?? ""), proof: proof,
      from: context.address, browser: self.cookies.knownBrowser.value(in: request), origin: context.origin(of: request))
    switch outcome {
    case .proofInvalid: return .failed(.expired)
    case .rejected(let account, let reason):
      let failure: ChangePasswordPage.Failure
      switch reason {
      case .entriesDiffer: failure = .entriesDiffer
      case .violation(let violation): failure = .notAccepted(explanation: violation.explanation)
      case .throttled(let wait): failure = .throttled(seconds: self.noteThrottled(wait, context))
      case .overloaded:
        self.recordOverload(context)
        failure = .busy
      }
      return .passwordChange(PasswordChange(username: account.username.value, proof: proof, failure: failure))
    case .success(let account, let browser):
      context.logger.info("password changed", metadata: ["account": "\(account.id.rawValue)"])
      return try await self.startSession(account, browser, request, context)
    }
  }

  private func startSession(
    _ account: AccountRecord, _ browser: Secret<String>?, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Outcome {
    let session = try await self.server.sessions.start(
      for: account, by: AuthenticationContext.password, replacing: self.cookies.session.value(in: request),
      from: context.origin, userAgent: request.headers[.userAgent])
    guard let session else {
      self.metrics.signedIn(.rejected)
      return .failed(.wrongCredentials)
    }
    return self.signedIn(account, session: session, browser, context)
  }

  private func signedIn(
    _ account: AccountRecord, session: Secret<String>, _ browser: Secret<String>?, _ context: ServerRequestContext
  ) -> Outcome {
    context.logger.info("signed in", metadata: ["account": "\(account.id.rawValue)"])
    self.metrics.signedIn(.success)
    let returningUser = self.server.returningUser.seal(account)
    return .signedIn(account, Credentials(session: session, returningUser: returningUser, knownBrowser: browser))
  }

  private func recordOverload(_ context: ServerRequestContext) {
    context.logger.warning("sign-in rejected: too many passwords are being checked")
    self.metrics.signedIn(.overloaded)
  }

  /// - Returns: A number of whole seconds that is longer than `wait` by at most one second.
  private func noteThrottled(_ wait: Duration, _ context: ServerRequestContext) -> Int {
    context.logger.notice("sign-in delayed: too many attempts failed", metadata: ["address": "\(context.address)"])
    self.metrics.signedIn(.slowed)
    return Int(wait.components.seconds) + 1
  }

  /// Returns the page on which a user chooses the new password.
  /// - Parameter interaction: The identifier of the interaction that continues afterward.
  func page(for change: PasswordChange, action: String, interaction: String) -> ChangePasswordPage {
    ChangePasswordPage(
      username: change.username, failure: change.failure,
      minimumLength: self.server.configuration.passwords.minimumLength, action: action,
      csrfToken: self.server.csrfTokens.token(purpose: "change password", session: nil, interaction: interaction),
      proof: change.proof.reveal())
  }

  /// The address of the page for forgotten passwords; nil if the server sends no mail.
  var forgotAction: String? {
    self.server.resetRequests == nil ? nil : self.server.configuration.issuer.path + EndpointPath.forgotPassword
  }

  /// Sets the cookies of a new session.
  func set(_ credentials: Credentials, on response: inout Response) {
    self.cookies.session.set(credentials.session, on: &response)
    if let value = credentials.returningUser { self.cookies.returningUser.set(value, on: &response) }
    if let value = credentials.knownBrowser { self.cookies.knownBrowser.set(value, on: &response) }
  }

  /// Returns the name of the user who signed in last in this browser, for the sign-in page (rule S-18).
  func lastUsername(in request: Request) -> String? {
    self.server.returningUser.username(of: self.cookies.returningUser.value(in: request))
  }
}
