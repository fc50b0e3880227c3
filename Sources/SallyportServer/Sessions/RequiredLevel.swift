import SallyportProtocol

extension AuthenticationContext.Level {
  /// Reads the level that an operator requires.
  ///
  /// A newer version of the server may have stored a level that this version does not know. It is read as the strongest
  /// level that this version knows.
  fileprivate init(required text: String) {
    self = Self(rawValue: text) ?? .hardwareProtected
  }
}

extension ServerConfiguration {
  /// Returns the level at which a user must be authenticated before a client gets a grant: the strongest of the levels
  /// that operators require for the client (``ClientDetails/requiredContext``) and for the values of the scope
  /// (``requiredContexts``).
  /// - Parameter scope: The scope of the grant, including the scope values that individually requested claims imply.
  func requiredLevel(of client: ClientRecord, for scope: Scope) -> AuthenticationContext.Level {
    let texts = scope.tokens.compactMap { self.requiredContexts[$0] } + [client.details.requiredContext].compactMap(\.self)
    return texts.map(AuthenticationContext.Level.init(required:)).max() ?? .password
  }

  /// Whether users can be authenticated at this level, or at a stronger one.
  func offers(_ level: AuthenticationContext.Level) -> Bool {
    // Every sign-in reaches the level `password`, so `authenticationContexts` is not computed for most requests.
    level == .password
      || self.authenticationContexts.compactMap { AuthenticationContext.Level(rawValue: $0) }.contains { $0 >= level }
  }

  /// Whether users can be authenticated at the level with this `acr` value, or at a stronger one. False for an unknown
  /// value.
  package func offersLevel(_ context: String) -> Bool {
    AuthenticationContext.Level(rawValue: context).map(self.offers) ?? false
  }
}
