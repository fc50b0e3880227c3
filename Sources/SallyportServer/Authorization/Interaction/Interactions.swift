import SallyportProtocol

/// Begins, seals, and opens interactions: authorization requests on their way through sign-in and consent.
package struct Interactions: Sendable {
  let cache: ConfigurationCache
  let sealer: Sealer
  let configuration: ServerConfiguration
  let redirectRules: RedirectRules
  let now: TimeSource

  private static var sealingContext: String { "interaction" }
  /// The sealing context for interactions with an essential `acr` claim. During an upgrade, an earlier version of the
  /// server, which does not check this claim, may receive the user's next request. The earlier version cannot open an
  /// interaction that was sealed with this context.
  private static var essentialSealingContext: String { "interaction with essential acr" }

  package func begin(_ request: ValidatedAuthorizationRequest) -> Interaction {
    Interaction(request, at: self.now(), self.configuration)
  }

  /// Returns the interaction, sealed so that the user must be authenticated again.
  /// - Parameter username: The initial value of the field for the user name.
  package func restartingSignIn(_ interaction: Interaction, as username: String) throws(AuthorizeError) -> String {
    var value = self.restarted(interaction, as: username)
    value.parameters.prompt.insert(.login)
    value.parameters.prompt.remove(.selectAccount)
    return try self.seal(value)
  }

  /// Returns the interaction, sealed so that it leads to the sign-in page, for a user who chose to use another account.
  ///
  /// Unlike ``restartingSignIn(_:as:)``, this does not require a new authentication: an upstream may sign the user in
  /// with a session that the user already has there. A server of an earlier version ignores
  /// ``Interaction/switchesAccount``, and asks the user to choose an account.
  /// - Parameter username: The initial value of the field for the user name; empty if the user chose no account.
  package func switchingAccount(_ interaction: Interaction, to username: String) throws(AuthorizeError) -> String {
    var value = self.restarted(interaction, as: username)
    value.parameters.prompt.insert(.selectAccount)
    value.switchesAccount = true
    return try self.seal(value)
  }

  /// Returns the interaction with a new start time, so that only a sign-in from now on satisfies `prompt=login`. This
  /// removes `prompt=create`, which would lead to the page for sign-up instead of the sign-in page.
  private func restarted(_ interaction: Interaction, as username: String) -> SealedInteraction {
    var value = SealedInteraction(interaction)
    value.startedAt = self.now()
    value.parameters.prompt.remove(.create)
    value.parameters.loginHint = username
    value.chosenAccount = nil
    value.switchesAccount = nil
    return value
  }

  /// Returns the interaction, sealed so that the user must choose an account.
  package func askingForAccount(_ interaction: Interaction) throws(AuthorizeError) -> String {
    var value = SealedInteraction(interaction)
    value.parameters.prompt.insert(.selectAccount)
    value.chosenAccount = nil
    value.switchesAccount = nil
    return try self.seal(value)
  }

  /// Returns the interaction, sealed so that the user must consent even if an earlier consent covers the request.
  package func askingForConsent(_ interaction: Interaction) throws(AuthorizeError) -> String {
    var value = SealedInteraction(interaction)
    value.parameters.prompt.insert(.consent)
    return try self.seal(value)
  }

  /// Returns the interaction, sealed so that it continues with the session of an account that the user chose or signed
  /// in with for this request.
  /// - Parameter hasSignedIn: Whether the user has just signed in for this request. The start time is then at least
  ///   five seconds ago. Otherwise, if the interaction began at a server whose clock is ahead, the new session would
  ///   seem to be older than the interaction, and the user would have to sign in again.
  package func choosing(
    _ account: AccountID, for interaction: Interaction, hasSignedIn: Bool = false
  ) throws(AuthorizeError) -> String {
    var value = SealedInteraction(interaction)
    value.chosenAccount = account.rawValue
    if hasSignedIn { value.startedAt = min(value.startedAt, self.now() - .seconds(5)) }
    return try self.seal(value)
  }

  /// The maximum size of a new sealed interaction, in bytes. HTTP servers limit header fields, and the sealed
  /// interaction is part of the request target: `SallyportHTTPServer` accepts 32 KiB. The rest is for the path, and for
  /// what the user's choices add to the interaction.
  private static var maximumSize: Int { 28_000 }

  /// Seals a new interaction for a URL.
  /// - Throws: An error response to the client (`invalid_request`) if the URL would be too long.
  package func seal(_ interaction: Interaction) throws(AuthorizeError) -> String {
    let sealed = try self.seal(SealedInteraction(interaction))
    guard sealed.utf8.count <= Self.maximumSize else { throw interaction.redirect.error(.invalidRequest, .requestTooLarge) }
    return sealed
  }

  /// Opens a sealed interaction. Reads the client and verifies the redirect URI again, because the registration may
  /// have changed.
  /// - Throws: ``AuthorizeError/page(_:)``
  package func open(_ text: String) async throws(AuthorizeError) -> Interaction {
    let opened = [Self.sealingContext, Self.essentialSealingContext].lazy.compactMap { context in
      self.sealer.openJSON(text, as: SealedInteraction.self, context: context)
    }
    guard let value = opened.first else { throw .page(.interactionInvalid) }
    guard self.now() < value.expiresAt else { throw .page(.interactionExpired) }
    let client: ClientRecord?
    do { client = try await self.cache.client(ClientID(rawValue: value.clientID)) } catch { throw .page(.storage(error)) }
    guard let client else { throw .page(.clientUnknown) }
    let redirect = try VerifiedRedirect.verify(
      client: client, requested: value.redirectURI, state: value.state, rules: self.redirectRules)
    return Interaction(value, redirect: redirect.responding(by: value.mode), self.configuration)
  }

  private func seal(_ value: SealedInteraction) throws(AuthorizeError) -> String {
    let context = value.parameters.essentialContexts == nil ? Self.sealingContext : Self.essentialSealingContext
    guard let sealed = self.sealer.sealJSON(value, context: context) else { throw .page(.interactionInvalid) }
    return sealed
  }
}
