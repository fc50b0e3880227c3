import SallyportProtocol

extension OAuthSession {
  /// Sign-in options that request what the API requires: the granted scope plus the missing scope, and the required
  /// authentication.
  ///
  /// The new session replaces this one, and may belong to a different user. An app that requires the same user must
  /// compare the subject of ``claims``.
  public func options(for stepUp: StepUp) -> SignInOptions {
    var options = SignInOptions(scopes: [self.scope, self.offlineScope, stepUp.scope])
    options.acrValues = stepUp.acrValues
    // If the server provides none of the `acr` values, the sign-in must fail. Otherwise, the API would require the same
    // step-up again, in an endless loop of sign-ins. Without an ID token, there is no `acr` to check.
    options.requiresACR = !stepUp.acrValues.isEmpty && self.claims != nil
    options.maxAge = stepUp.maxAge
    options.resources = self.resources
    // The server may treat both sign-ins as one grant. Revoking the old refresh token would then end the new session
    // too.
    options.revokesReplaced = false
    return options
  }
}
