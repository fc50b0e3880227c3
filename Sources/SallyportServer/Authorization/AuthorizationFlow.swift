import SallyportProtocol

/// The way of an authorization request: who asks, who is signed in, whether they agree, and the code.
///
/// The flow decides and persists; pages, cookies and status codes are the HTTP layer's.
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

  /// What comes next for the person.
  package enum Step: Sendable {
    case signIn(Interaction)
    case consent(Interaction, ConsentPolicy.Reason)
    /// The answer is ready: it carries a code.
    case answer(AuthorizationAnswer)
  }

  /// A new request arrives.
  /// - Parameters:
  ///   - encoded: the query of a GET or the form of a POST.
  ///   - cookie: of the browser's session.
  ///   - address: where it comes from.
  package func begin(
    _ encoded: String, cookie: String?, from origin: AuditOrigin, at address: ClientAddress = .unknown
  ) async throws(AuthorizeError) -> Step {
    let interaction = try await self.receive(encoded, at: address)
    let found: (session: Session, more: [ConsentRecord])?
    do {
      found = try await self.sessions.active(cookie) { (tx, session) throws(StoreError) in
        try Self.remembered(tx, by: session, for: interaction.redirect)
      }
    } catch { throw .page(.storage(error)) }
    return try await self.next(interaction, session: found?.session, remembered: found?.more ?? [], from: origin)
  }

  /// Validates a new request whose browser has not shown its session yet.
  /// - Parameter encoded: the form of a POST.
  package func receive(
    _ encoded: String, at address: ClientAddress = .unknown
  ) async throws(AuthorizeError) -> Interaction {
    self.interactions.begin(try await self.parser.parse(encoded, from: address))
  }

  /// An interaction goes on, in this browser or another.
  package func next(
    _ interaction: Interaction, session: Session?, from origin: AuditOrigin
  ) async throws(AuthorizeError) -> Step {
    guard let session else { return try await self.next(interaction, session: nil, remembered: [], from: origin) }
    let remembered: [ConsentRecord]
    do {
      remembered = try await self.store.read { (tx) throws(StoreError) in
        try Self.remembered(tx, by: session, for: interaction.redirect)
      }
    } catch { throw .page(.storage(error)) }
    return try await self.next(interaction, session: session, remembered: remembered, from: origin)
  }

  /// With `prompt=none` no page is shown (OpenID Connect Core §3.1.2.1).
  private func next(
    _ interaction: Interaction, session: Session?, remembered: [ConsentRecord], from origin: AuditOrigin
  ) async throws(AuthorizeError) -> Step {
    let step = try await self.step(interaction, session: session, remembered: remembered, from: origin)
    guard interaction.prompt.contains(.none) else { return step }
    switch step {
    case .signIn: throw self.refusal(interaction.redirect, .loginRequired, .signInNeeded)
    case .consent: throw self.refusal(interaction.redirect, .consentRequired, .consentNeeded)
    case .answer: return step
    }
  }

  private func step(
    _ interaction: Interaction, session: Session?, remembered: [ConsentRecord], from origin: AuditOrigin
  ) async throws(AuthorizeError) -> Step {
    guard let session else { return .signIn(interaction) }
    try self.checkPerson(interaction, session)
    guard interaction.accepts(session.record) else { return .signIn(interaction) }
    let decision = ConsentPolicy.decide(
      redirect: interaction.redirect, scope: interaction.shownScope, resources: interaction.resources,
      prompt: interaction.prompt, remembered: remembered)
    switch decision {
    case .ask(let reason): return .consent(interaction, reason)
    case .remembered:
      return .answer(try await self.issueCode(for: interaction, session: session, .consentRemembered, from: origin))
    }
  }

  /// OpenID Connect Core §3.1.2.1: who signs in for this very request, and is another person than it means, ends it.
  private func checkPerson(_ interaction: Interaction, _ session: Session) throws(AuthorizeError) {
    guard let subject = interaction.subject, session.account.id != subject,
      session.record.authenticatedAt >= interaction.startedAt
    else { return }
    throw self.refusal(interaction.redirect, .loginRequired, .otherPerson)
  }

  /// The person decided on the consent page.
  /// - Returns: what the app gets.
  package func decide(
    _ interaction: Interaction, session: Session, allow: Bool, from origin: AuditOrigin
  ) async throws(AuthorizeError) -> AuthorizationAnswer {
    guard interaction.accepts(session.record) else { throw .page(.interactionInvalid) }
    if allow { return try await self.issueCode(for: interaction, session: session, .consentGiven, from: origin) }
    let (id, expires, client, session) = (interaction.id, interaction.expiresAt, interaction.redirect.client.id, session.record)
    let now = self.now()
    let isFirst: Bool
    do {
      isFirst = try await self.store.write { (tx) throws(StoreError) in
        guard try tx.burnInteraction(id, expires: expires) else { return false }
        try tx.insert(
          AuditRecord(
            .consentDenied, account: session.account, client: client, session: session.id, from: origin, at: now))
        return true
      }
    } catch { throw .page(.storage(error)) }
    guard isFirst else { throw .page(.interactionDone) }
    throw .redirect(interaction.redirect, .accessDenied, .deniedByPerson)
  }

  /// What the person agreed to before, where that counts.
  private static func remembered(
    _ tx: borrowing any StoreSnapshot, by session: Session, for redirect: VerifiedRedirect
  ) throws(StoreError) -> [ConsentRecord] {
    guard ConsentPolicy.mayRemember(redirect) else { return [] }
    return try tx.consents(
      account: session.account.id, client: redirect.client.id, redirectURI: redirect.redirectURI.value)
  }

  /// RFC 9700 §4.11.2: nobody is sent unasked to where no operator vouched for.
  private func refusal(
    _ redirect: VerifiedRedirect, _ code: OAuthErrorCode, _ reason: AuthorizeError.RedirectReason
  ) -> AuthorizeError {
    redirect.isVouchedFor ? .redirect(redirect, code, reason) : .page(.unvouchedRedirect(code))
  }

  // MARK: Persist

  /// What is stored with a code.
  private struct IssuedRecords: Sendable {
    let grant: GrantRecord
    let code: AuthorizationCodeRecord
    /// Where the agreement may be kept.
    let consent: ConsentRecord?
    let sessionClient: SessionClientRecord?
  }

  private enum Issue: Sendable { case done, repeated, sessionEnded }

  /// Burns the interaction and stores grant and code, in one transaction that looks at the session once more.
  /// - Parameter reason: whether the person has just agreed. An agreement that was remembered keeps its own time.
  private func issueCode(
    for interaction: Interaction, session: Session, _ reason: AuditReason, from origin: AuditOrigin
  ) async throws(AuthorizeError) -> AuthorizationAnswer {
    let now = self.now()
    let code = AuthorizationCode.random(of: GrantID(rawValue: OrderedID.random(at: now)))
    let records = self.records(interaction, session, code, at: now)
    let (id, expires) = (interaction.mayComeAgain ? interaction.id : nil, interaction.expiresAt)
    let (fingerprint, idle) = (session.record.fingerprint, self.configuration.lifetimes.browserSessionIdle)
    let lease = ClientLeaseRecord.renewed(for: interaction.redirect.client, self.configuration.registration, at: now)
    let outcome: Issue
    do {
      outcome = try await self.store.write { (tx) throws(StoreError) -> Issue in
        guard let live = try tx.browserSession(fingerprint), live.isAlive(at: now, idle: idle) else { return .sessionEnded }
        if let id { guard try tx.burnInteraction(id, expires: expires) else { return .repeated } }
        try tx.issue(records.grant, reason, from: origin)
        try tx.insert(records.code)
        if let lease { try tx.put(lease) }
        if let client = records.sessionClient { try tx.put(client) }
        if reason == .consentGiven, let consent = records.consent { try tx.remember(consent) }
        return .done
      }
    } catch { throw .page(.storage(error)) }
    switch outcome {
    case .done: return interaction.redirect.answer(code: code.text, issuer: self.configuration.issuer)
    case .repeated: throw .page(.interactionDone)
    case .sessionEnded: throw .page(.interactionInvalid)
    }
  }

  /// Without a refresh token nothing outlives the one access token that the code gives, and the row need not either.
  private func lifetime(of scope: Scope) -> Duration {
    let lifetimes = self.configuration.lifetimes
    return scope.contains(.offlineAccess) ? lifetimes.grant : lifetimes.authorizationCode + lifetimes.accessToken
  }

  private func records(
    _ interaction: Interaction, _ session: Session, _ code: AuthorizationCode, at now: Timestamp
  ) -> IssuedRecords {
    let redirect = interaction.redirect
    let grant = GrantRecord(
      id: code.grant, client: redirect.client.id, account: session.account.id,
      scope: interaction.scope, requestedScope: interaction.requestedScope, resources: interaction.resources,
      nonce: interaction.nonce, boundKey: interaction.boundKey, sessionID: session.record.id,
      authenticationContext: AuthenticationContext.password, authenticationMethods: AuthenticationContext.methods,
      requestedClaims: interaction.claims?.stored, authenticatedAt: session.record.authenticatedAt, createdAt: now,
      expiresAt: now + self.lifetime(of: interaction.scope))
    let code = AuthorizationCodeRecord(
      fingerprint: code.fingerprint, grant: grant.id, redirectURI: redirect.redirectURI.value,
      challenge: interaction.challenge, expiresAt: now + self.configuration.lifetimes.authorizationCode)
    let consent = ConsentRecord(
      account: session.account.id, client: redirect.client.id, redirectURI: redirect.redirectURI.value,
      resources: interaction.resources, scope: interaction.shownScope, givenAt: now)
    return IssuedRecords(
      grant: grant, code: code, consent: ConsentPolicy.mayRemember(redirect) ? consent : nil,
      sessionClient: self.sessionClient(interaction, session))
  }

  /// OpenID Connect Back-Channel Logout §2.2: who is told when this session ends.
  private func sessionClient(_ interaction: Interaction, _ session: Session) -> SessionClientRecord? {
    let client = interaction.redirect.client
    guard client.details.backchannelLogoutURI != nil, interaction.scope.contains(.openID) else { return nil }
    return SessionClientRecord(
      sessionID: session.record.id, client: client.id, account: session.account.id, expiresAt: session.record.expiresAt)
  }
}
