#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
import SallyportRemote

/// A signed-in user's session, which provides access tokens and refreshes them when they expire.
///
/// The tokens are kept in the client's ``TokenStore``. Any number of sessions in any number of processes can share
/// them.
public actor OAuthSession {
  /// The authorization server's issuer identifier.
  public nonisolated let issuer: Issuer
  /// The client identifier at the server.
  public nonisolated let clientID: String

  let client: OAuthClient
  private var tokenSet: TokenSet
  private var end: SignInRequirement?
  /// The restored key that the tokens are bound to.
  private var dpopKey: (tokenSetID: String, key: any DPoPKey)?
  private let refreshes = SingleFlight<Issuer, Result<RefreshTransaction.Outcome, SessionError>>()
  private var observers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
  private var nextObserver = 0

  init(client: OAuthClient, tokenSet: TokenSet) {
    self.issuer = client.issuer
    self.clientID = client.clientID
    self.client = client
    self.tokenSet = tokenSet
  }

  /// The scope that was granted.
  public var scope: Scope { self.tokenSet.scope }
  /// The claims of the verified ID token, or `nil` if none was requested.
  public var claims: IDTokenClaims? { self.tokenSet.claims }
  /// Whether the tokens are bound to this installation's key (RFC 9449), so that a stolen access token cannot be used.
  public var isSenderConstrained: Bool { self.tokenSet.tokenType == .dpop }
  /// The APIs that the tokens are for; see ``SignInOptions/resources``. Empty if the sign-in named none.
  public var resources: [ResourceIndicator] { self.tokenSet.resources }
  /// When the access token expires, or `nil` if the server didn't provide a lifetime.
  public var expiration: Date? { self.tokenSet.expiresAt?.date }
  /// Whether the session can be renewed without the user.
  public var isRenewable: Bool { self.tokenSet.refreshToken != nil }

  /// Returns an access token that remains valid for at least the given time, if the server issues such tokens.
  ///
  /// If necessary, the session is refreshed, once for all concurrent callers. If the refresh fails while the current
  /// token is still valid, the current token is returned, so that a user who is offline stays signed in.
  ///
  /// A token that is bound to a key (``isSenderConstrained``) is useless without a proof. Use ``send(_:body:limits:)`` or
  /// ``authorization(for:_:)``, which create one.
  /// - Throws: ``SessionError``; ``SessionError/boundToKey`` if the token is bound to a key.
  public func accessToken(minimumLifetime: Duration = .seconds(60)) async throws(SessionError) -> Secret<String> {
    try self.checkNotEnded()
    try self.checkNotBound()
    let token = try await self.anyAccessToken(minimumLifetime: minimumLifetime)
    // The session may have adopted the tokens of another sign-in while the caller waited.
    try self.checkNotBound()
    return token
  }

  private func checkNotBound() throws(SessionError) {
    guard !self.isSenderConstrained else { throw .boundToKey }
  }

  /// Returns an access token as ``accessToken(minimumLifetime:)`` does, even if it is bound to a key.
  package func anyAccessToken(minimumLifetime: Duration = .seconds(60)) async throws(SessionError) -> Secret<String> {
    if let token = try self.accessTokenAtHand(minimumLifetime: minimumLifetime) { return token }
    do {
      try await self.renew(.expiry, minimumLifetime: minimumLifetime)
    } catch {
      if case .signInRequired(let requirement) = error, requirement.endsSession { throw error }
      guard error != .cancelled, self.tokenSet.isValid(at: self.client.now()) else { throw error }
    }
    return self.tokenSet.accessToken
  }

  /// Returns the current access token if it remains valid for at least the given time, or `nil` if a refresh is
  /// necessary.
  package func accessTokenAtHand(minimumLifetime: Duration = .seconds(60)) throws(SessionError) -> Secret<String>? {
    try self.checkNotEnded()
    return self.tokenSet.isValid(for: minimumLifetime, at: self.client.now()) ? self.tokenSet.accessToken : nil
  }

  /// Returns the current token and its key, for use at the given destination.
  func credential(for destination: TokenDestination) async throws(SessionError) -> AccessCredential {
    // Check the destination before sending any request.
    try self.checkDestination(destination)
    _ = try await self.anyAccessToken()
    return try self.credentialAtHand(for: destination)
  }

  /// Returns a token other than `refused`, which an API rejected, and its key, or `nil` if a refresh is unlikely to
  /// help.
  func credential(
    insteadOf refused: Secret<String>, for destination: TokenDestination
  ) async throws(SessionError) -> AccessCredential? {
    guard try await self.accessToken(insteadOf: refused) != nil else { return nil }
    return try self.credentialAtHand(for: destination)
  }

  /// Checks the destination again, because the session may have adopted the tokens of another sign-in, for other APIs,
  /// while the caller waited.
  private func credentialAtHand(for destination: TokenDestination) throws(SessionError) -> AccessCredential {
    try self.checkDestination(destination)
    guard self.tokenSet.tokenType == .dpop else {
      return AccessCredential(token: self.tokenSet.accessToken, type: .bearer, key: nil)
    }
    if self.dpopKey?.tokenSetID != self.tokenSet.id {
      do throws(DPoPKeyError) {
        guard let key = try self.client.dpop.restoreKey(self.tokenSet.dpopKey) else { throw DPoPKeyError.damaged }
        self.dpopKey = (self.tokenSet.id, key)
      } catch .damaged {
        self.finish(.keyLost)
        throw .signInRequired(.keyLost)
      } catch {
        throw .dpopKey(error)
      }
    }
    return AccessCredential(token: self.tokenSet.accessToken, type: .dpop, key: self.dpopKey?.key)
  }

  /// The last verified ID token, or `nil` if none was requested. Sessions that were stored by earlier versions can lack
  /// it until the next refresh.
  ///
  /// Send it only to a party that expects it, such as a Kubernetes API server: its audience is this client, not an API.
  public var idToken: Secret<String>? { self.tokenSet.idToken }
  /// All claims of the last verified ID token, including those that ``claims`` has no property for. Empty if there is no
  /// ID token.
  public var allClaims: [String: JSONValue] {
    guard let token = self.tokenSet.idToken?.reveal(), let jws = try? JWSCompact(token) else { return [:] }
    return JSONValue.members(of: jws.payload) ?? [:]
  }
  /// The members of the token responses that RFC 6749 and OpenID Connect don't define, such as `instance_url` or
  /// `patient`. A member of a later response replaces the earlier one.
  ///
  /// They are secret, because some servers return further tokens in them, and they are not signed.
  public var additionalMembers: Secret<[String: JSONValue]> { self.tokenSet.additional }

  /// Checks that the current tokens may be sent to the destination (rule C-34).
  private func checkDestination(_ destination: TokenDestination) throws(SessionError) {
    guard case .api(let origin) = destination else { return }
    guard self.tokenSet.origins(otherwise: self.client.tokenOrigins).contains(origin) else { throw .originNotAllowed }
  }

  /// Requests a new access token, even if the current one is still valid.
  /// - Throws: ``SessionError``
  public func refresh() async throws(SessionError) {
    try self.checkNotEnded()
    try await self.renew(.demand)
  }

  /// A stream of the session's future events. It finishes when the session ends.
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

  /// Waits for a refresh in progress, so that a program that exits doesn't lose the server's response.
  package func waitForRefresh() async {
    _ = await self.refreshes.task(for: self.issuer)?.value
  }

  /// Returns an access token other than `refused`, which an API rejected, or `nil` if a refresh is unlikely to help.
  func accessToken(insteadOf refused: Secret<String>) async throws(SessionError) -> Secret<String>? {
    try self.checkNotEnded()
    if self.tokenSet.accessToken != refused { return self.tokenSet.accessToken }
    // An API that rejects a new token would also reject the next one. Without this check, every response would cause a
    // refresh.
    let age = self.client.now() - self.tokenSet.obtainedAt
    guard self.tokenSet.refreshToken != nil, age < .zero || age > Self.shortestRetryAge else { return nil }
    try await self.renew(.rejection)
    return self.tokenSet.accessToken
  }

  /// Ends the session in this process.
  func finish(_ requirement: SignInRequirement) {
    guard self.end == nil else { return }
    self.end = requirement
    self.emit(.ended(requirement))
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
      client: self.client, observed: self.tokenSet, reason: reason, minimumLifetime: minimumLifetime)
    let result = await self.refreshes.valueUnlessCanceled(for: self.issuer) { await self.perform(transaction) }
    guard let result else { throw .cancelled }
    switch try result.get() {
    case .unsaved(_, let error): throw .store(error)
    case .lastToken(_, let requirement) where reason == .demand: throw .signInRequired(requirement)
    default: break
    }
  }

  /// Runs a refresh and applies its result once, independently of the callers that wait for it.
  private func perform(_ transaction: RefreshTransaction) async -> Result<RefreshTransaction.Outcome, SessionError> {
    let result = await transaction.run()
    switch result {
    case .success(.refreshed(let tokenSet)), .success(.unsaved(let tokenSet, _)):
      self.tokenSet = tokenSet
      self.emit(.refreshed)
    case .success(.adopted(let tokenSet)):
      self.tokenSet = tokenSet
      self.emit(.adopted)
    case .success(.lastToken(let tokenSet, let requirement)):
      if self.tokenSet.refreshToken != nil { self.emit(.notRenewable(requirement)) }
      self.tokenSet = tokenSet
    case .failure(.signInRequired(let requirement)) where requirement.endsSession:
      self.finish(requirement)
    case .failure:
      break
    }
    return result
  }

  private func emit(_ event: SessionEvent) {
    for observer in self.observers.values { observer.yield(event) }
  }

  private func forget(_ observer: Int) {
    self.observers[observer] = nil
  }

  private static let shortestRetryAge = Duration.seconds(10)
}
