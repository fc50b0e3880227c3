import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportLook
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// Handles the forms with which users sign in, for authorization requests, devices, and the account page.
struct SignInForms: Sendable {
  let server: AuthorizationServer
  let cookies: ServerCookies
  let metrics: ServerMetrics

  /// The cookie values for a browser in which a user has just signed in.
  struct Credentials: Sendable {
    var session: SessionCookie
    /// Nil to leave the cookie unchanged.
    var returningUser: Secret<String>?
    /// Nil to leave the cookie unchanged.
    var knownBrowser: Secret<String>?
  }

  /// A sign-in that continues only after the user has chosen a new password.
  struct PasswordChange: Sendable {
    var account: AccountRecord
    /// The minimum length of the new password.
    var minimumLength: Int
    /// Proof that the user may choose a new password.
    var proof: Secret<String>
    var failure: ChangePasswordPage.Failure?
    var isOnPublicDevice: Bool
  }

  /// A sign-in that continues only after the user has entered a code.
  struct CodeEntry: Sendable {
    var challenge: SecondFactorSignIn.Challenge
    var failure: SecondFactorPage.Failure?
    var isOnPublicDevice: Bool
  }

  enum Outcome: Sendable {
    case failed(SignInFailure)
    case code(CodeEntry)
    case passwordChange(PasswordChange)
    case signedIn(AccountRecord, Credentials)
  }

  /// Signs in the user whose name and password are in the form.
  /// - Parameters:
  ///   - interaction: The identifier of the interaction for which the user signs in.
  ///   - wantsSecondFactor: Whether to ask for a code even if the account does not require one at each sign-in.
  func signIn(
    _ form: FormParameters, _ request: Request, _ context: ServerRequestContext, interaction: String,
    wantsSecondFactor: Bool = false
  ) async throws -> Outcome {
    let (username, password) = (form["username"] ?? "", Secret(form["password"] ?? ""))
    let outcome = try await self.server.passwordSignIn.run(
      username: username, password: password, from: context.address, browser: self.cookies.knownBrowser.value(in: request),
      origin: context.origin)
    switch outcome {
    case .rejected:
      context.logger.notice("sign-in rejected")
      self.metrics.signInEnded(.rejected)
      return .failed(.wrongCredentials)
    case .overloaded:
      self.recordOverload(context)
      return .failed(.busy)
    case .throttled(let wait):
      self.recordThrottling(context)
      return .failed(.throttled(seconds: Self.wholeSeconds(from: wait)))
    case .passwordChangeNeeded(let account, let proof):
      switch try await self.server.secondFactorSignIn.nextStep(
        for: account, interaction: interaction, prefersCode: wantsSecondFactor, mustChangePassword: true)
      {
      case .code(let challenge): return .code(CodeEntry(challenge: challenge, isOnPublicDevice: form.isOnPublicDevice))
      case .passkey: return .failed(.passkeyForNewPassword)
      case .none: return try await self.passwordChange(account, proof: proof, form, context)
      }
    case .success(let account, let knownBrowser):
      let step = try await self.server.secondFactorSignIn.nextStep(
        for: account, interaction: interaction, prefersCode: wantsSecondFactor, mustChangePassword: false)
      // A passkey is required only for a new password, so the next step is a code or none.
      if case .code(let challenge) = step {
        return .code(CodeEntry(challenge: challenge, isOnPublicDevice: form.isOnPublicDevice))
      }
      let evidence = AuthenticationContext.Evidence(AuthenticationContext.password, at: self.server.now())
      return try await self.startSession(account, knownBrowser, evidence, form, request, context)
    }
  }

  /// Requires the user to choose a new password, because the current one no longer meets the policy.
  /// - Parameter proof: Proof that the user entered the current password.
  func passwordChange(
    _ account: AccountRecord, proof: Secret<String>, _ form: FormParameters, _ context: ServerRequestContext
  ) async throws -> Outcome {
    context.logger.info("new password required", metadata: ["account": "\(account.id.rawValue)"])
    return .passwordChange(try await self.passwordChange(account, proof, form))
  }

  private func passwordChange(
    _ account: AccountRecord, _ proof: Secret<String>, _ form: FormParameters, failure: ChangePasswordPage.Failure? = nil
  ) async throws -> PasswordChange {
    let policy = try await self.server.accounts.policy(for: account)
    return PasswordChange(
      account: account, minimumLength: policy.minimumLength, proof: proof, failure: failure,
      isOnPublicDevice: form.isOnPublicDevice)
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
    let browser = self.browser(of: request, isOnPublicDevice: form.isOnPublicDevice)
    let outcome = try await passkeys.run(
      response: form["response"] ?? "", challenge: Secret(form["challenge"] ?? ""), interaction: interaction,
      for: expected, browser, from: context.origin)
    switch outcome {
    case .expired: return .failed(.expired)
    case .otherUser: return .failed(.otherUser)
    case .rejected(let reason):
      context.logger.notice("passkey rejected", metadata: reason.map { ["reason": "\($0)"] })
      self.metrics.signInEnded(.rejected)
      return .failed(.wrongPasskey)
    case .success(let account, let session, let knownBrowser):
      return self.signedIn(account, session: session, knownBrowser, request, context)
    }
  }

  /// Changes the password and starts a session.
  /// - Parameter proof: Proof that a signed-in user may choose a new password; nil if the user is signing in, because
  ///   the form then contains the proof.
  func changePassword(
    _ form: FormParameters, proof: Secret<String>? = nil, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Outcome {
    let isSignedIn = proof != nil
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
      case .violation(let violation): failure = .notAccepted(violation)
      case .throttled(let wait):
        self.recordThrottling(context)
        failure = .throttled(seconds: Self.wholeSeconds(from: wait))
      case .overloaded:
        self.recordOverload(context)
        failure = .busy
      }
      return .passwordChange(try await self.passwordChange(account, proof, form, failure: failure))
    case .success(let account, let knownBrowser, let evidence):
      context.logger.info("password changed", metadata: ["account": "\(account.id.rawValue)"])
      return try await self.startSession(account, knownBrowser, evidence, form, isRenewal: isSignedIn, request, context)
    }
  }

  func browser(of request: Request, isOnPublicDevice: Bool) -> SignInBrowser {
    SignInBrowser(
      sessionCookie: self.cookies.session.value(in: request),
      knownBrowserCookie: self.cookies.knownBrowser.value(in: request), userAgent: request.headers[.userAgent],
      isOnPublicDevice: isOnPublicDevice)
  }

  /// - Parameters:
  ///   - knownBrowser: The cookie value that marks the browser as known.
  ///   - isRenewal: Whether a user who was already signed in has changed the password. Then no sign-in is recorded.
  private func startSession(
    _ account: AccountRecord, _ knownBrowser: Secret<String>?, _ evidence: AuthenticationContext.Evidence,
    _ form: FormParameters, isRenewal: Bool = false, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Outcome {
    let confirm = self.server.secondFactorSignIn.confirmation(of: evidence.methods, for: account)
    let session = try await self.server.sessions.start(
      for: account, by: evidence.methods, at: evidence.time, replacing: self.cookies.session.value(in: request),
      from: context.origin, userAgent: request.headers[.userAgent], isOnPublicDevice: form.isOnPublicDevice,
      isRenewal: isRenewal, confirm: confirm)
    // During the sign-in, the account was disabled or removed, its password was changed, or two-step verification was
    // set up.
    guard let session else {
      self.metrics.signInEnded(.rejected)
      return .failed(.wrongCredentials)
    }
    return self.signedIn(account, session: session, isRenewal: isRenewal, knownBrowser, request, context)
  }

  /// Records a successful sign-in in the log and the metrics, and returns the cookie values for the browser.
  /// - Parameters:
  ///   - isRenewal: Whether the user was already signed in. Then nothing is recorded.
  ///   - knownBrowser: The cookie value that marks the browser as known.
  func signedIn(
    _ account: AccountRecord, session: SessionCookie, isRenewal: Bool = false, _ knownBrowser: Secret<String>?,
    _ request: Request, _ context: ServerRequestContext
  ) -> Outcome {
    if !isRenewal {
      context.logger.info("signed in", metadata: ["account": "\(account.id.rawValue)"])
      self.metrics.signInEnded(.success)
    }
    var credentials = Credentials(session: session)
    // The browser remembers nothing about the user of a public device, even if the user said so only at an earlier
    // sign-in, whose session this one replaces.
    if !session.isOnPublicDevice {
      credentials.returningUser = self.server.returningUser.seal(
        account, addingTo: self.cookies.returningUser.value(in: request))
      credentials.knownBrowser = knownBrowser
    }
    return .signedIn(account, credentials)
  }

  private func recordOverload(_ context: ServerRequestContext) {
    context.logger.warning("sign-in rejected: too many passwords are being checked")
    self.metrics.signInEnded(.overloaded)
  }

  func recordThrottling(_ context: ServerRequestContext) {
    context.logger.notice("sign-in delayed: too many attempts failed", metadata: ["address": "\(context.address)"])
    self.metrics.signInEnded(.slowed)
  }

  /// - Returns: The next whole number of seconds after `wait`, so that a user who waits that long does not try again
  ///   too early.
  static func wholeSeconds(from wait: Duration) -> Int { Int(wait.components.seconds) + 1 }

  /// Returns the page on which a user chooses the new password.
  /// - Parameter interaction: The identifier of the interaction that continues afterward.
  func page(for change: PasswordChange, action: String, interaction: String) -> ChangePasswordPage {
    ChangePasswordPage(
      username: change.account.username.value, failure: change.failure, minimumLength: change.minimumLength, action: action,
      csrfToken: self.server.csrfTokens.token(purpose: "change password", session: nil, interaction: interaction),
      proof: change.proof.reveal(), isOnPublicDevice: change.isOnPublicDevice)
  }

  var continuation: InteractionContinuation {
    InteractionContinuation(server: self.server, cookies: self.cookies)
  }

  /// Returns the address of the page for forgotten passwords; nil if the server sends no mail.
  /// - Parameter sealed: The encrypted interaction that continues afterward; nil if there is none.
  func forgotAction(for sealed: String? = nil) -> String? {
    self.server.resetRequests.map { _ in self.continuation.address(of: AccountPath.forgotPassword.rawValue, for: sealed) }
  }

  /// Returns the providers that the sign-in page offers.
  /// - Parameter account: The account whose user must sign in again; nil for all providers. Otherwise, the result
  ///   contains the providers that are connected with this account, and all multitenant providers. An identity at a
  ///   multitenant provider has the issuer of its tenant, so the server cannot tell which provider it belongs to.
  func upstreams(connectedWith account: AccountID? = nil) async -> [UpstreamChoice] {
    // If the store is unavailable, users cannot sign in through a provider either.
    let upstreams = (try? await self.server.upstreamSignIn?.choices(connectedWith: account)) ?? []
    return upstreams.map { UpstreamChoice(id: $0.id, name: DisplayText.clean($0.name) ?? $0.id) }
  }

  /// Returns the address of the page for new accounts; nil if only operators add or invite users.
  /// - Parameter sealed: The encrypted interaction that continues afterward; nil if there is none.
  func signUpAction(for sealed: String? = nil) -> String? {
    self.server.configuration.offersSignUp ? self.continuation.address(of: AccountPath.signUp.rawValue, for: sealed) : nil
  }

  /// Sets the cookies of a new session.
  func set(_ credentials: Credentials, on response: inout Response) {
    self.cookies.setSession(credentials.session, on: &response)
    if let value = credentials.returningUser { self.cookies.returningUser.set(value, on: &response) }
    if let value = credentials.knownBrowser { self.cookies.knownBrowser.set(value, on: &response) }
  }

  /// Returns the name of the user who signed in last in this browser, for the sign-in page (rule S-18); nil if the
  /// browser remembers no user.
  func lastUsername(in request: Request) -> String? {
    self.usernames(in: request).first
  }

  /// Returns the user names that this browser remembers. The user who signed in last comes first.
  func usernames(in request: Request) -> [String] {
    self.server.returningUser.usernames(of: self.cookies.returningUser.value(in: request))
  }
}

extension FormParameters {
  /// The name of the checkbox on the sign-in page with which users say that the device belongs to someone else. The
  /// pages that follow have a hidden field with this name.
  static var publicDevice: String { "public-device" }

  var isOnPublicDevice: Bool { self[Self.publicDevice] == "on" }
}
