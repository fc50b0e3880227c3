public import SallyportProtocol
import SallyportRemote

/// A signed-in person: gives access tokens, renewed when they run out, to one process among others.
///
/// The grant rests in the client's ``TokenStore``; any number of sessions, in any number of processes, share it.
public actor Session {
  public nonisolated let issuer: Issuer
  public nonisolated let clientID: String

  let client: OAuthClient
  private var grant: Grant
  private var end: SignInRequirement?
  /// The key that the grant's tokens are bound to, restored once.
  private var dpopKey: (grantID: String, key: any DPoPKey)?
  private let flight = SingleFlight<RefreshTransaction.Outcome, SessionError>()
  private var observers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
  private var nextObserver = 0

  init(client: OAuthClient, grant: Grant) {
    self.issuer = client.issuer
    self.clientID = client.clientID
    self.client = client
    self.grant = grant
  }

  /// The scope that was granted.
  public var scope: Scope { self.grant.scope }
  /// The claims of the verified ID token; nil where none was asked for.
  public var claims: IDTokenClaims? { self.grant.claims }
  /// Whether a stolen access token would be worth nothing without this installation's key (RFC 9449).
  public var isSenderConstrained: Bool { self.grant.tokenType == .dpop }
  /// The APIs that the tokens were asked for, ``SignInOptions/resources``; empty where the sign-in named none.
  public var resources: [ResourceIndicator] { self.grant.resources }
  /// When the access token runs out; nil where the server did not say.
  public var expiration: Timestamp? { self.grant.expiresAt }
  /// Whether the session can be renewed without the person.
  public var isRenewable: Bool { self.grant.refreshToken != nil }

  /// An access token that lives at least that long, where the server gives such.
  ///
  /// A token that lives long enough is returned at once. Otherwise the session is refreshed, once for all who wait. When that fails
  /// while the old token is still valid, the old one is returned: being offline signs nobody out.
  /// One that is bound to a key (``isSenderConstrained``) is of no use by itself; ``send(_:body:limits:)`` proves the key.
  /// - Throws: ``SessionError``
  public func accessToken(minimumLifetime: Duration = .seconds(60)) async throws(SessionError) -> Secret<String> {
    if let token = try self.accessTokenAtHand(minimumLifetime: minimumLifetime) { return token }
    do {
      try await self.renew(.expiry, minimumLifetime: minimumLifetime)
    } catch {
      if case .signInRequired = error { throw error }
      guard error != .cancelled, self.grant.isValid(at: self.client.now()) else { throw error }
    }
    return self.grant.accessToken
  }

  /// The access token, if it lives at least that long; nil where it takes a request to get one.
  package func accessTokenAtHand(minimumLifetime: Duration = .seconds(60)) throws(SessionError) -> Secret<String>? {
    try self.checkNotEnded()
    return self.grant.isValid(for: minimumLifetime, at: self.client.now()) ? self.grant.accessToken : nil
  }

  /// What the token of this moment takes to be used at that destination.
  func credential(for destination: TokenDestination) async throws(SessionError) -> AccessCredential {
    // Before anything is asked of a server, for a destination that gets nothing in any case.
    try self.checkDestination(destination)
    _ = try await self.accessToken()
    return try self.credentialAtHand(for: destination)
  }

  /// Another one than that of `refused`, which an API did not take; nil where it cannot be told that a new one would help.
  func credential(
    insteadOf refused: Secret<String>, for destination: TokenDestination
  ) async throws(SessionError) -> AccessCredential? {
    guard try await self.accessToken(insteadOf: refused) != nil else { return nil }
    return try self.credentialAtHand(for: destination)
  }

  /// Checks the grant that the token is taken from: it may be another sign-in's, adopted while the caller waited, and for other APIs.
  private func credentialAtHand(for destination: TokenDestination) throws(SessionError) -> AccessCredential {
    try self.checkDestination(destination)
    guard self.grant.tokenType == .dpop else {
      return AccessCredential(token: self.grant.accessToken, type: .bearer, key: nil)
    }
    if self.dpopKey?.grantID != self.grant.id {
      do throws(DPoPKeyError) {
        guard let key = try self.client.dpop.restoreKey(self.grant.dpopKey) else { throw DPoPKeyError.damaged }
        self.dpopKey = (self.grant.id, key)
      } catch .damaged {
        self.finish(.keyLost)
        throw .signInRequired(.keyLost)
      } catch {
        throw .dpopKey(error)
      }
    }
    return AccessCredential(token: self.grant.accessToken, type: .dpop, key: self.dpopKey?.key)
  }

  /// The last verified ID token, where it was kept.
  var idToken: Secret<String>? { self.grant.idToken }

  /// Rule C-34, for the grant of this moment.
  private func checkDestination(_ destination: TokenDestination) throws(SessionError) {
    guard case .api(let origin) = destination else { return }
    guard self.grant.origins(otherwise: self.client.tokenOrigins).contains(origin) else { throw .request(.originNotAllowed) }
  }

  /// Gets a new access token, whatever the old one is worth.
  /// - Throws: ``SessionError``
  public func refresh() async throws(SessionError) {
    try self.checkNotEnded()
    try await self.renew(.demand)
  }

  /// What happens from now on. The stream ends with the session.
  public var events: AsyncStream<SessionEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(64))
    guard self.end == nil else {
      continuation.finish()
      return stream
    }
    let observer = self.nextObserver
    self.nextObserver += 1
    self.observers[observer] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.forget(observer) }
    }
    return stream
  }

  /// Waits for a refresh that is under way, so that a program which stops does not lose the server's answer.
  package func settle() async {
    await self.flight.settle()
  }

  /// A token other than `refused`, which an API did not take; nil where it cannot be told that a new one would help.
  func accessToken(insteadOf refused: Secret<String>) async throws(SessionError) -> Secret<String>? {
    try self.checkNotEnded()
    if self.grant.accessToken != refused { return self.grant.accessToken }
    // An API that refuses a token just made will refuse the next one too; without this its every answer would be a refresh.
    let age = self.client.now() - self.grant.obtainedAt
    guard self.grant.refreshToken != nil, age < .zero || age > Self.shortestRetryAge else { return nil }
    try await self.renew(.rejection)
    return self.grant.accessToken
  }

  /// Ends the session in this process.
  func finish(_ requirement: SignInRequirement) {
    guard self.end == nil else { return }
    self.end = requirement
    self.tell(.ended(requirement))
    for observer in self.observers.values { observer.finish() }
    self.observers = [:]
  }

  func checkNotEnded() throws(SessionError) {
    if let end = self.end { throw .signInRequired(end) }
  }

  private func renew(
    _ reason: RefreshTransaction.Reason, minimumLifetime: Duration = .seconds(60)
  ) async throws(SessionError) {
    let transaction = RefreshTransaction(
      client: self.client, observed: self.grant, reason: reason, minimumLifetime: minimumLifetime)
    guard let result = await self.flight.run({ await self.perform(transaction) }) else { throw .cancelled }
    switch try result.get() {
    case .unsaved(_, let error): throw .store(error)
    case .lastToken(_, let requirement) where reason == .demand: throw .signInRequired(requirement)
    default: break
    }
  }

  /// Runs a refresh and takes its result over, once, whoever waits for it.
  private func perform(_ transaction: RefreshTransaction) async -> Result<RefreshTransaction.Outcome, SessionError> {
    let result = await transaction.run()
    switch result {
    case .success(.refreshed(let grant)), .success(.unsaved(let grant, _)):
      self.grant = grant
      self.tell(.refreshed)
    case .success(.adopted(let grant)):
      self.grant = grant
      self.tell(.adopted)
    case .success(.lastToken(let grant, let requirement)):
      if self.grant.refreshToken != nil { self.tell(.notRenewable(requirement)) }
      self.grant = grant
    case .failure(.signInRequired(let requirement)):
      self.finish(requirement)
    case .failure:
      break
    }
    return result
  }

  private func tell(_ event: SessionEvent) {
    for observer in self.observers.values { observer.yield(event) }
  }

  private func forget(_ observer: Int) {
    self.observers[observer] = nil
  }

  private static let shortestRetryAge = Duration.seconds(10)
}
