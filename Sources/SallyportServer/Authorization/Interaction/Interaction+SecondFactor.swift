extension Interaction {
  /// Whether this request requires, or prefers by its `acr_values`, a password and a code instead of a password alone.
  /// The sign-in then asks for a code even if the user's account does not require one.
  package var asksForSecondFactor: Bool {
    if self.neededLevel == .twoFactors { return true }
    guard let contexts = self.parameters.contexts else { return false }
    return !AuthenticationContext.satisfies(contexts, with: AuthenticationContext.password)
      && AuthenticationContext.satisfies(contexts, with: AuthenticationContext.twoFactors)
  }
}
