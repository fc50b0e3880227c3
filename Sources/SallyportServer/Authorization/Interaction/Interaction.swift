package import SallyportProtocol

/// An authorization request between its validation and the user's decision.
///
/// The interaction is sealed in the URL instead of stored in a server-side session. Showing a page therefore stores
/// nothing for the interaction, a restart of the server does not interrupt the user, and the user can continue in
/// another browser (rule S-19). The interaction describes the request, not who is signed in.
package struct Interaction: Sendable {
  /// The identifier, which is consumed in the transaction that stores the code or records that the user denied the
  /// request.
  package let id: String
  /// Whether the interaction can be presented again, because it is in a URL or belongs to a pushed request. If it
  /// cannot, storing a code does not consume the identifier.
  let isReplayable: Bool
  package let startedAt: Timestamp
  package let expiresAt: Timestamp
  package let redirect: VerifiedRedirect
  package let parameters: AuthorizationParameters
  /// The level that operators require for the client and the scope. It is not sealed, so that a change applies to
  /// interactions that have already begun.
  let requiredLevel: AuthenticationContext.Level
  /// The account that the user chose or signed in with for this request; nil if the user has done neither.
  package private(set) var chosenAccount: AccountID?
  /// Whether the user chose to sign in with another account. ``Interactions/switchingAccount(_:to:)`` then also adds
  /// `select_account` to the prompt, so that no existing session satisfies the request. The user is asked to sign in,
  /// not to choose an account again.
  private(set) var switchesAccount = false

  /// Begins an interaction for a validated request.
  init(_ request: ValidatedAuthorizationRequest, at now: Timestamp, _ configuration: ServerConfiguration) {
    // All interactions of a pushed request share one identifier and expiration, so that consuming one consumes all.
    self.id = request.pushed?.interaction ?? OrderedID.random(at: now)
    self.isReplayable = request.pushed != nil
    self.startedAt = now
    self.expiresAt = (request.pushed?.expiresAt ?? now) + configuration.lifetimes.interaction
    self.redirect = request.redirect
    self.parameters = request.parameters
    self.requiredLevel = configuration.requiredLevel(of: request.redirect.client, for: request.parameters.consentScope)
  }

  /// Restores a sealed interaction, after its client was read again and its redirect URI was verified again.
  init(_ sealed: SealedInteraction, redirect: VerifiedRedirect, _ configuration: ServerConfiguration) {
    self.id = sealed.id
    self.isReplayable = true
    self.chosenAccount = sealed.chosenAccount.map { AccountID(rawValue: $0) }
    self.switchesAccount = sealed.switchesAccount ?? false
    self.startedAt = sealed.startedAt
    self.expiresAt = sealed.expiresAt
    self.redirect = redirect
    var parameters = sealed.parameters
    // The client's allowed scope may have been reduced since the interaction began.
    parameters.scope = parameters.scope.intersection(redirect.client.scope)
    self.parameters = parameters
    self.requiredLevel = configuration.requiredLevel(of: redirect.client, for: parameters.consentScope)
  }

  /// Whether a session satisfies this request. `prompt=login`, `prompt=create`, `max_age`, and `acr_values` can require
  /// a sign-in after the interaction began, and `prompt=select_account` requires the user to choose an account or sign
  /// in (OpenID Connect Core §3.1.2.1).
  package func accepts(_ session: BrowserSessionRecord) -> Bool {
    if let subject = self.parameters.subject, session.account != subject { return false }
    guard self.acceptsMethods(of: session) else { return false }
    let prompt = self.parameters.prompt
    if !prompt.isDisjoint(with: [.selectAccount, .login, .create]), session.account != self.chosenAccount { return false }
    if session.authenticatedAt >= self.startedAt { return true }
    // `acr_values` is only a preference. With `prompt=none`, which allows no page, it therefore causes no error.
    if let contexts = self.parameters.contexts, !prompt.contains(.none),
      !AuthenticationContext.satisfies(contexts, with: session.authenticationMethods)
    {
      return false
    }
    if !prompt.isDisjoint(with: [.login, .create]) { return false }
    guard let maxAge = self.parameters.maxAge else { return true }
    return self.startedAt - session.authenticatedAt <= .seconds(maxAge)
  }

  /// Whether the session's user was authenticated at the level that operators require, and in a way that the request's
  /// essential `acr` claim accepts (OpenID Connect Core §5.5.1.1). A request can therefore require more than the
  /// operators, but not less.
  package func acceptsMethods(of session: BrowserSessionRecord) -> Bool {
    guard AuthenticationContext.Level(of: session.authenticationMethods) >= self.requiredLevel else { return false }
    guard let contexts = self.parameters.essentialContexts else { return true }
    return AuthenticationContext.satisfies(contexts, with: session.authenticationMethods)
  }

  /// The weakest level that ``acceptsMethods(of:)`` accepts.
  package var neededLevel: AuthenticationContext.Level {
    let essential = self.parameters.essentialContexts?.compactMap(AuthenticationContext.Level.init(rawValue:)).min()
    return max(self.requiredLevel, essential ?? .password)
  }
}

/// The part of an interaction that is sealed in the URL. It names the client and the redirect URI, which are looked up
/// and verified again when the URL is opened.
struct SealedInteraction: Codable {
  let id: String
  var startedAt: Timestamp
  let expiresAt: Timestamp
  let clientID: String
  let redirectURI: String
  let state: String?
  let mode: ResponseMode
  var parameters: AuthorizationParameters
  /// ``Interaction/chosenAccount``.
  var chosenAccount: String?
  /// ``Interaction/switchesAccount``; nil for false, as in the URLs of earlier versions.
  var switchesAccount: Bool?

  init(_ interaction: Interaction) {
    self.id = interaction.id
    self.startedAt = interaction.startedAt
    self.expiresAt = interaction.expiresAt
    self.clientID = interaction.redirect.client.id.rawValue
    self.redirectURI = interaction.redirect.redirectURI.value
    self.state = interaction.redirect.state
    self.mode = interaction.redirect.mode
    self.parameters = interaction.parameters
    self.chosenAccount = interaction.chosenAccount?.rawValue
    self.switchesAccount = interaction.switchesAccount ? true : nil
  }

  // Short names keep URLs short.
  private enum CodingKeys: String, CodingKey {
    case id = "i"
    case startedAt = "b"
    case expiresAt = "e"
    case clientID = "c"
    case redirectURI = "u"
    case state = "t"
    case mode = "o"
    case parameters = "p"
    case chosenAccount = "a"
    case switchesAccount = "w"
  }
}
