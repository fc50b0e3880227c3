import SallyportServer

extension SignInFailure {
  /// Why a user who is signed in must sign in again with a stronger method.
  /// - Parameter level: The weakest level that suffices.
  static func tooWeak(for level: AuthenticationContext.Level) -> SignInFailure {
    switch level {
    // Every sign-in reaches the level `password`, so it is never the missing level.
    case .password, .phishingResistant: .passkeyRequired
    case .twoFactors: .secondFactorRequired
    case .hardwareProtected: .attestedPasskeyRequired
    }
  }
}
