import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

extension SignInForms {
  private static var purpose: String { "second factor" }

  /// Whether a form with a code contains the CSRF token for this interaction.
  func isValidCodeForm(_ form: FormParameters, interaction: String) -> Bool {
    self.server.csrfTokens.isValid(form["csrf"], purpose: Self.purpose, session: nil, interaction: interaction)
  }

  /// Signs in the user whose code is in the form. The sealed state in the form proves the first step of the sign-in: a
  /// correct password, or a sign-in through an upstream.
  func enterCode(
    _ form: FormParameters, _ request: Request, _ context: ServerRequestContext, interaction: String
  ) async throws -> Outcome {
    let outcome = try await self.server.secondFactorSignIn.run(
      code: Secret(form["code"] ?? ""), sealed: Secret(form["state"] ?? ""), interaction: interaction,
      self.browser(of: request, isOnPublicDevice: form.isOnPublicDevice),
      from: context.origin(of: request))
    switch outcome {
    case .expired: return .failed(.expired)
    case .rejected(let challenge):
      context.logger.notice("code rejected", metadata: ["account": "\(challenge.account.id.rawValue)"])
      self.metrics.signInEnded(.rejected)
      return .code(CodeEntry(challenge: challenge, failure: .wrongCode, isOnPublicDevice: form.isOnPublicDevice))
    case .throttled(let challenge, let wait):
      self.recordThrottling(context)
      let failure = SecondFactorPage.Failure.throttled(seconds: Self.wholeSeconds(from: wait))
      return .code(CodeEntry(challenge: challenge, failure: failure, isOnPublicDevice: form.isOnPublicDevice))
    case .passwordChangeNeeded(let account, let proof): return try await self.passwordChange(account, proof: proof, form, context)
    case .success(let account, let session, let browser):
      return self.signedIn(account, session: session, browser, request, context)
    }
  }

  /// Returns the page that asks for a code.
  /// - Parameters:
  ///   - interaction: The identifier of the interaction for which the user signs in.
  ///   - startOver: The address of the sign-in page.
  func page(for entry: CodeEntry, action: String, interaction: String, startOver: String) -> SecondFactorPage {
    let challenge = entry.challenge
    return SecondFactorPage(
      username: challenge.account.username.value, acceptsApp: challenge.factors.hasTOTP,
      acceptsRecoveryCode: challenge.factors.recoveryCodes > 0, failure: entry.failure, action: action,
      csrfToken: self.server.csrfTokens.token(purpose: Self.purpose, session: nil, interaction: interaction),
      state: challenge.sealed.reveal(), isOnPublicDevice: entry.isOnPublicDevice, startOverAction: startOver)
  }
}
