import SallyportProtocol

/// The steps of an authorization request: validate the request, sign the user in, obtain consent, and issue a code.
///
/// The flow makes the decisions and writes to the store; the HTTP layer handles pages, cookies, and status codes.
package final class AuthorizationFlow: Sendable {
  private let store: any Store
  private let parser: AuthorizationRequestParser
  private let sessions: BrowserSessions
  private let interactions: Interactions
  private let configuration: ServerConfiguration
  private let now: TimeSource

  init(
    store: any Store, parser: AuthorizationRequestParser, sessions: BrowserSessions, interactions: Interactions,
    configuration: ServerConfiguration, now: @escaping TimeSource
  ) {
    self.store = store
    self.parser = parser
    self.sessions = sessions
    self.interactions = interactions
    self.configuration = configuration
    self.now = now
  }

  package typealias Session = BrowserSessions.Active

  /// The next step for the user.
  package enum Step: Sendable {
    case signIn(Interaction)
    /// The user chooses one of the accounts that are signed in with the browser.
    case chooseAccount(Interaction)
    case consent(Interaction, ConsentPolicy.Reason)
    /// The authorization response with a code is ready.
    case response(AuthorizationResponse)
  }

  /// Starts the flow for a new authorization request.
  /// - Parameters:
  ///   - encoded: The query of a GET request or the form of a POST request.
  ///   - cookie: The browser's session cookie.
  ///   - address: The client address of the request.
  package func begin(
    _ encoded: String, cookie: String?, origin: AuditOrigin, from address: ClientAddress = .unknown
  ) async throws(AuthorizeError) -> Step {
    let interaction = try await self.receive(encoded, from: address)
    let redirect = interaction.redirect
    let found: [(session: Session, consents: [ConsentRecord])]
    do {
      found =
        if ConsentPolicy.mayRemember(redirect) {
          try await self.sessions.allWithConsents(
            cookie, client: redirect.client.id, redirectURI: redirect.redirectURI.value)
        } else {
          try await self.sessions.all(cookie).map { ($0, []) }
        }
    } catch { throw .page(.storage(error)) }
    let choice = interaction.choice(among: found.map(\.session))
    let remembered = found.first { $0.session.account.id == choice.session?.account.id }?.consents
    return try await self.next(interaction, choice, remembered: remembered ?? [], from: origin)
  }

  /// Validates a new request before the browser's session is known.
  /// - Parameter encoded: The query of a GET request or the form of a POST request.
  package func receive(
    _ encoded: String, from address: ClientAddress = .unknown
  ) async throws(AuthorizeError) -> Interaction {
    self.interactions.begin(try await self.parser.parse(encoded, from: address))
  }

  /// Continues an interaction, possibly in a different browser than the one that began it.
  /// - Parameter choice: The choice among the browser's sessions, from ``Interaction/choice(among:)``.
  package func next(
    _ interaction: Interaction, _ choice: SessionChoice, from origin: AuditOrigin
  ) async throws(AuthorizeError) -> Step {
    guard let session = choice.session else {
      return try await self.next(interaction, choice, remembered: [], from: origin)
    }
    let remembered: [ConsentRecord]
    do {
      remembered = try await self.store.read { (tx) throws(StoreError) in
        try Self.rememberedConsents(tx, by: session, for: interaction.redirect)
      }
    } catch { throw .page(.storage(error)) }
    return try await self.next(interaction, choice, remembered: remembered, from: origin)
  }

  /// Determines the next step. With `prompt=none`, a step that needs a page becomes an error (OpenID Connect Core
  /// §3.1.2.1).
  private func next(
    _ interaction: Interaction, _ choice: SessionChoice, remembered: [ConsentRecord], from origin: AuditOrigin
  ) async throws(AuthorizeError) -> Step {
    let step: Step
    let session = choice.session
    switch choice {
    // The user must choose one of the accounts that are signed in.
    case .open: step = .chooseAccount(interaction)
    case .decided, .hinted: step = try await self.step(interaction, session: session, remembered: remembered, from: origin)
    }
    guard interaction.parameters.prompt.contains(.none) else { return step }
    switch (step, choice) {
    case (.response, _): return step
    // If `login_hint` chose one of several sessions, the error is the same as for a hint that names none of them.
    // Otherwise, the client could find out that this account is signed in here.
    case (.chooseAccount, _), (_, .hinted):
      throw interaction.redirect.error(.accountSelectionRequired, .accountSelectionNeeded)
    case (.signIn, _):
      let isTooWeak = session.map { !interaction.acceptsMethods(of: $0.record) } ?? false
      throw interaction.redirect.error(.loginRequired, isTooWeak ? .strongerSignInNeeded : .signInNeeded)
    case (.consent, _): throw interaction.redirect.error(.consentRequired, .consentNeeded)
    }
  }

  private func step(
    _ interaction: Interaction, session: Session?, remembered: [ConsentRecord], from origin: AuditOrigin
  ) async throws(AuthorizeError) -> Step {
    guard let session else { return .signIn(interaction) }
    try self.checkUser(interaction, session)
    guard interaction.accepts(session.record) else { return .signIn(interaction) }
    switch ConsentPolicy.decide(interaction, remembered: remembered) {
    case .ask(let reason): return .consent(interaction, reason)
    case .remembered(let consent):
      let response = try await self.issueCode(for: interaction, session: session, remembered: consent, from: origin)
      // If there is no response, the user has withdrawn the consent in the meantime.
      return response.map { Step.response($0) } ?? .consent(interaction, .firstTime)
    }
  }

  /// Fails if the user of the session signed in after the interaction began, and is not the user that the request names
  /// (OpenID Connect Core §3.1.2.1). With an older session of another user, the next step is the sign-in page instead.
  private func checkUser(_ interaction: Interaction, _ session: Session) throws(AuthorizeError) {
    guard let subject = interaction.parameters.subject, session.account.id != subject,
      session.record.authenticatedAt >= interaction.startedAt
    else { return }
    throw interaction.redirect.error(.loginRequired, .otherUser)
  }

  /// Applies the user's decision on the consent page.
  /// - Returns: The authorization response with a code, if the user allowed the request.
  /// - Throws: An error response to the client (`access_denied`) if the user denied the request. An error page if the
  ///   session does not satisfy the request or ended before the user allowed it, if the interaction was already
  ///   decided, or if the store fails.
  package func decide(
    _ interaction: Interaction, session: Session, allow: Bool, from origin: AuditOrigin
  ) async throws(AuthorizeError) -> AuthorizationResponse {
    guard interaction.accepts(session.record) else { throw .page(.interactionInvalid) }
    if allow {
      guard let response = try await self.issueCode(for: interaction, session: session, from: origin) else {
        throw .page(.interactionInvalid)
      }
      return response
    }
    let (id, expires, client, session) = (interaction.id, interaction.expiresAt, interaction.redirect.client.id, session.record)
    let now = self.now()
    let isFirst: Bool
    do {
      isFirst = try await self.store.write { (tx) throws(StoreError) in
        guard try tx.consumeInteraction(id, expires: expires) else { return false }
        try tx.insert(
          AuditRecord(
            .consentDenied, account: session.account, client: client, session: session.id, from: origin, at: now))
        return true
      }
    } catch { throw .page(.storage(error)) }
    guard isFirst else { throw .page(.interactionDone) }
    // The user has seen the consent page, so this redirect is not automatic, and the redirect URI need not be one that
    // an operator registered (rule S-31).
    throw .redirect(interaction.redirect, .accessDenied, .deniedByUser)
  }

  /// Returns the user's earlier consents for this client and redirect URI; empty if consents to this redirect URI must
  /// not be remembered.
  private static func rememberedConsents(
    _ tx: borrowing any StoreSnapshot, by session: Session, for redirect: VerifiedRedirect
  ) throws(StoreError) -> [ConsentRecord] {
    guard ConsentPolicy.mayRemember(redirect) else { return [] }
    return try tx.consents(
      account: session.account.id, client: redirect.client.id, redirectURI: redirect.redirectURI.value)
  }

  // MARK: Storing the code

  /// The records that are stored with a code.
  private struct IssuedRecords: Sendable {
    let grant: GrantRecord
    let code: AuthorizationCodeRecord
    /// Nil if the consent must not be remembered.
    let consent: ConsentRecord?
    /// Nil if the client need not be notified when the session ends.
    let sessionClient: SessionClientRecord?
  }

  private enum IssueOutcome: Sendable { case done, repeated, sessionEnded, consentWithdrawn }

  /// Stores the grant and the code, in one transaction that checks the session and a remembered consent again. If the
  /// interaction can be presented again (``Interaction/isReplayable``), the same transaction consumes it.
  /// - Parameter remembered: The earlier consent that covers the request. It is not stored again. Nil if the user has
  ///   just consented.
  /// - Returns: Nil if the user has withdrawn the remembered consent.
  private func issueCode(
    for interaction: Interaction, session: Session, remembered: ConsentRecord? = nil, from origin: AuditOrigin
  ) async throws(AuthorizeError) -> AuthorizationResponse? {
    let now = self.now()
    let code = AuthorizationCode.random(of: .random(for: session.account.id, at: now, in: self.store.grantOrder))
    let records = self.records(interaction, session, code, at: now)
    let (id, expires) = (interaction.isReplayable ? interaction.id : nil, interaction.expiresAt)
    let fingerprint = session.record.fingerprint
    let idleLimit = session.record.idleLimit(at: now, idle: self.configuration.lifetimes.browserSessionIdle)
    // A lease keeps a client that no operator registered from being removed as unused. Nil for other clients.
    let lease = ClientLeaseRecord.renewed(for: interaction.redirect.client, self.configuration.registration, at: now)
    let outcome: IssueOutcome
    do {
      outcome = try await self.store.write { (tx) throws(StoreError) -> IssueOutcome in
        guard try tx.confirmBrowserSession(fingerprint, at: now, seenAfter: idleLimit) else { return .sessionEnded }
        // If the consent has changed since it was read, it may have been extended and still cover the request.
        if let remembered, try !tx.confirm(remembered),
          case .ask = ConsentPolicy.decide(
            interaction, remembered: try Self.rememberedConsents(tx, by: session, for: interaction.redirect))
        {
          return .consentWithdrawn
        }
        if let id { guard try tx.consumeInteraction(id, expires: expires) else { return .repeated } }
        try tx.issue(records.grant, remembered == nil ? .consentGiven : .consentRemembered, from: origin, at: now)
        try tx.insert(records.code)
        if let lease { try tx.put(lease) }
        if let client = records.sessionClient { try tx.put(client) }
        if remembered == nil, let consent = records.consent { try tx.remember(consent) }
        return .done
      }
    } catch { throw .page(.storage(error)) }
    switch outcome {
    case .done: return interaction.redirect.response(code: code.text, issuer: self.configuration.issuer)
    case .repeated: throw .page(.interactionDone)
    case .sessionEnded: throw .page(.interactionInvalid)
    case .consentWithdrawn: return nil
    }
  }

  /// The lifetime of a grant. Without a refresh token, the grant lasts only as long as its code and access token can be
  /// valid.
  private func lifetime(of scope: Scope, for client: ClientRecord) -> Duration {
    let lifetimes = self.configuration.lifetimes
    return client.getsRefreshToken(for: scope) ? lifetimes.grant : lifetimes.authorizationCode + lifetimes.accessToken
  }

  private func records(
    _ interaction: Interaction, _ session: Session, _ code: AuthorizationCode, at now: Timestamp
  ) -> IssuedRecords {
    let (redirect, parameters) = (interaction.redirect, interaction.parameters)
    let grant = GrantRecord(
      id: code.grant, client: redirect.client.id, account: session.account.id,
      scope: parameters.scope, requestedScope: parameters.requestedScope, resources: parameters.resources,
      nonce: parameters.nonce, jkt: parameters.jkt, sessionID: session.record.id,
      authenticationContext: AuthenticationContext.Level(of: session.record.authenticationMethods).rawValue,
      authenticationMethods: session.record.authenticationMethods,
      requestedClaims: parameters.claims?.stored, authenticatedAt: session.record.authenticatedAt,
      createdAt: session.account.decisionTime(at: now), expiresAt: now + self.lifetime(of: parameters.scope, for: redirect.client)
    )
    let code = AuthorizationCodeRecord(
      fingerprint: code.fingerprint, grant: grant.id, redirectURI: redirect.redirectURI.value,
      challenge: parameters.challenge, expiresAt: now + self.configuration.lifetimes.authorizationCode)
    let consent = ConsentRecord(
      account: session.account.id, client: redirect.client.id, redirectURI: redirect.redirectURI.value,
      resources: parameters.resources, scope: parameters.consentScope, givenAt: now)
    return IssuedRecords(
      grant: grant, code: code, consent: ConsentPolicy.mayRemember(redirect) ? consent : nil,
      sessionClient: self.sessionClient(interaction, session))
  }

  /// The record that makes the server notify the client when this session ends (OpenID Connect Back-Channel Logout
  /// §2.2).
  private func sessionClient(_ interaction: Interaction, _ session: Session) -> SessionClientRecord? {
    let client = interaction.redirect.client
    guard client.details.backchannelLogoutURI != nil, interaction.parameters.scope.contains(.openID) else { return nil }
    return SessionClientRecord(
      sessionID: session.record.id, client: client.id, account: session.account.id, expiresAt: session.record.expiresAt)
  }
}

extension ConsentPolicy {
  /// Decides whether to ask the user of an interaction.
  fileprivate static func decide(_ interaction: Interaction, remembered: [ConsentRecord]) -> Decision {
    self.decide(
      redirect: interaction.redirect, scope: interaction.parameters.consentScope, resources: interaction.parameters.resources,
      prompt: interaction.parameters.prompt, remembered: remembered)
  }
}
