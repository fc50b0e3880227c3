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
    // Without this, a server that cannot provide any of the classes would cause an endless loop of sign-ins.
    options.requiresACR = !stepUp.acrValues.isEmpty && self.claims != nil
    options.maxAge = stepUp.maxAge
    options.resources = self.resources
    // The server may treat both sign-ins as one grant. Revoking the old refresh token would then end the new session
    // too.
    options.revokesReplaced = false
    return options
  }
}
