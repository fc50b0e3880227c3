import SallyportProtocol
import SallyportServer

extension SignInForms {
  /// Why a signed-in user sees the sign-in page again.
  enum WeakSignIn: Sendable {
    /// The user must sign in again with a stronger method.
    case failure(SignInFailure)
    /// The account has no stronger method.
    case missingFactor(SignInPage.MissingFactor)

    var failure: SignInFailure? {
      if case .failure(let failure) = self { failure } else { nil }
    }

    var missingFactor: SignInPage.MissingFactor? {
      if case .missingFactor(let factor) = self { factor } else { nil }
    }
  }

  /// Returns what to tell a signed-in user whose sign-in is too weak.
  /// - Parameters:
  ///   - level: The weakest `acr` level that suffices.
  ///   - account: The user's account.
  func weakSignIn(for level: AuthenticationContext.Level, of account: AccountRecord) async throws -> WeakSignIn {
    let factors = try await self.server.selfService.factors(of: account.id)
    let needsPasskey = level != .twoFactors
    let hasFactor = needsPasskey ? factors.passkeys > 0 : factors.hasAny
    guard !hasFactor else { return .failure(.tooWeak(for: level)) }
    let kind: SignInPage.MissingFactor.Kind =
      switch level {
      // `.password` is not expected, because every sign-in reaches this level.
      case .password, .phishingResistant: .passkey
      case .hardwareProtected: .attestedPasskey
      case .twoFactors: .secondFactor
      }
    let path = self.server.configuration.issuer.path + AccountPath.page.rawValue
    return .missingFactor(
      SignInPage.MissingFactor(
        kind, username: account.username.value, accountAction: path + (needsPasskey ? "#passkeys" : "#two-step")))
  }
}
