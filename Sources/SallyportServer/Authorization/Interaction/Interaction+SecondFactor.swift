extension Interaction {
  /// Whether the request's essential `acr` claim accepts a password and a code.
  package var acceptsSecondFactor: Bool {
    guard let contexts = self.parameters.essentialContexts else { return true }
    return AuthenticationContext.satisfies(contexts, with: AuthenticationContext.twoFactors)
  }

  /// Whether a password alone does not satisfy the `acr` values of the request, but a password and a code do. The sign-in
  /// then asks for a code, also of a user whose account does not require one.
  package var asksForSecondFactor: Bool {
    [self.parameters.essentialContexts, self.parameters.contexts].contains { contexts in
      guard let contexts else { return false }
      return !AuthenticationContext.satisfies(contexts, with: AuthenticationContext.password)
        && AuthenticationContext.satisfies(contexts, with: AuthenticationContext.twoFactors)
    }
  }
}
