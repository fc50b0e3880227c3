extension Interaction {
  /// Whether a password alone does not satisfy this request or its `acr_values`, but a password and a code do. The sign-in
  /// then asks for a code, also of a user whose account does not require one.
  package var asksForSecondFactor: Bool {
    if self.neededLevel == .twoFactors { return true }
    guard let contexts = self.parameters.contexts else { return false }
    return !AuthenticationContext.satisfies(contexts, with: AuthenticationContext.password)
      && AuthenticationContext.satisfies(contexts, with: AuthenticationContext.twoFactors)
  }
}
