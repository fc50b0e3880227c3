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
  /// Whether the session never refreshes its tokens; see ``OAuthClient/restoreSession(readOnly:)``.
  public nonisolated let isReadOnly: Bool

  let client: OAuthClient
  private(set) var tokenSet: TokenSet
  /// Why the session has ended, or `nil` if it has not.
  private var endReason: SignInRequirement?
  /// Why the user must sign in again before the server refreshes the tokens, although the session has not ended. `nil`
  /// if there is no such reason.
  private var interactionRequirement: SignInRequirement?
  /// The restored key that the tokens are bound to.
  private var dpopKey: (tokenSetID: String, key: any DPoPKey)?
  private let refreshes = SingleFlight<TokenTarget.Key, Refreshed>()
  /// The refresh that was started last. The next refresh waits for it.
  private var lastRefresh: Task<Refreshed, Never>?
  private var observers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
  private var nextObserver = 0

  private typealias Refreshed = Result<RefreshTransaction.Outcome, SessionError>

  package init(client: OAuthClient, tokenSet: TokenSet, isReadOnly: Bool = false) {
    self.issuer = client.issuer
    self.clientID = client.clientID
    self.client = client
    self.tokenSet = tokenSet
    self.isReadOnly = isReadOnly
  }

  /// The scope that was granted for the session's own access token.
  public var scope: Scope { self.tokenSet.scope }
  /// `offline_access` if the sign-in requested it. Some servers grant it without listing it in ``scope``.
  var offlineScope: Scope { self.tokenSet.hasOfflineAccess ? .offlineAccess : [] }
  /// The claims of the verified ID token, or `nil` if there is none.
  public var claims: IDTokenClaims? { self.tokenSet.claims }
  /// Whether the tokens are bound to this installation's key (RFC 9449), so that a stolen access token cannot be used
  /// without the key.
  public var isSenderConstrained: Bool { self.tokenSet.tokenType == .dpop }
  /// The APIs that the tokens are for; see ``SignInOptions/resources``. Empty if the sign-in named none.
  public var resources: [ResourceIndicator] { self.tokenSet.resources }
  /// When the access token expires, or `nil` if the server didn't provide a lifetime.
  public var expiration: Date? { self.tokenSet.expiresAt?.date }
  /// Whether the session has a refresh token, with which it gets new access tokens without the user.
  public var isRenewable: Bool { self.tokenSet.refreshToken != nil }

  /// Returns the session's own access token. It remains valid for at least the given time, unless the server issues
  /// tokens with a shorter lifetime.
  ///
  /// If necessary, the session is refreshed, once for all concurrent callers. If the refresh fails while the current
  /// token is still valid, the current token is returned, so that a user who is offline stays signed in.
  ///
  /// A token that is bound to a key (``isSenderConstrained``) is useless without a proof. Use
  /// ``send(_:for:body:limits:)`` or ``authorization(for:_:target:)``, which create a proof.
  /// - Throws: ``SessionError``; ``SessionError/boundToKey`` if the token is bound to a key.
  public func accessToken(minimumLifetime: Duration = .seconds(60)) async throws(SessionError) -> Secret<String> {
    try await self.accessToken(for: .own, minimumLifetime: minimumLifetime).value
  }

  /// Returns an access token for another API or another scope, which the server issues for the same refresh token (RFC
  /// 6749 §6, RFC 8707 §2.2).
  ///
  /// The tokens of the last 16 targets are stored with the session, so that other processes use them too. Apart from
  /// that, the same rules apply as for ``accessToken(minimumLifetime:)``. If the server doesn't allow the target, the
  /// session is kept, and the error is ``SessionError/refused(_:)``, or ``SessionError/signInRequired(_:)`` with
  /// ``SignInRequirement/interactionRequired(_:)`` if the user must consent first.
  /// - Parameters:
  ///   - target: What the token is for.
  ///   - minimumLifetime: How long the token must remain valid.
  /// - Throws: ``SessionError``; ``SessionError/boundToKey`` if the token is bound to a key.
  public func accessToken(
    for target: TokenTarget, minimumLifetime: Duration = .seconds(60)
  ) async throws(SessionError) -> AccessToken {
    try self.checkNotEnded()
    // Check before sending any request.
    try Self.checkNotBound(self.tokenSet.token(for: target.key))
    let token = try await self.anyAccessToken(for: target, minimumLifetime: minimumLifetime)
    try Self.checkNotBound(token)
    return token
  }

  private static func checkNotBound(_ token: AccessToken?) throws(SessionError) {
    guard token?.type != .dpop else { throw .boundToKey }
  }

  /// Returns the session's own access token as ``accessToken(minimumLifetime:)`` does, even if it is bound to a key.
  package func anyAccessToken(minimumLifetime: Duration = .seconds(60)) async throws(SessionError) -> Secret<String> {
    try await self.anyAccessToken(for: .own, minimumLifetime: minimumLifetime).value
  }

  /// Returns an access token as ``accessToken(for:minimumLifetime:)`` does, even if it is bound to a key.
  package func anyAccessToken(
    for target: TokenTarget, minimumLifetime: Duration = .seconds(60)
  ) async throws(SessionError) -> AccessToken {
    if let token = try self.usableAccessToken(for: target, minimumLifetime: minimumLifetime) { return token }
    do {
      return try await self.renew(.expiry, target, minimumLifetime: minimumLifetime)
    } catch {
      try self.checkNotEnded()
      // While the current token is valid, a failed refresh is not an error.
      guard error != .cancelled, let token = self.tokenSet.token(for: target.key), token.isValid(at: self.client.now()) else {
        throw error
      }
      return token
    }
  }

  /// Returns the session's own access token if it remains valid for at least the given time, or `nil` if a refresh is
  /// necessary.
  package func usableAccessToken(minimumLifetime: Duration = .seconds(60)) throws(SessionError) -> Secret<String>? {
    try self.usableAccessToken(for: .own, minimumLifetime: minimumLifetime)?.value
  }

  private func usableAccessToken(
    for target: TokenTarget, minimumLifetime: Duration
  ) throws(SessionError) -> AccessToken? {
    try self.checkNotEnded()
    let now = self.client.now()
    guard let token = self.tokenSet.token(for: target.key), token.isValid(for: minimumLifetime, at: now) else { return nil }
    // A token that cannot be refreshed is used even if it may have expired.
    return token.isFromFuture(at: now) && self.isRenewable ? nil : token
  }

  /// Returns the current token for the destination, with the key that it is bound to.
  func credential(for destination: TokenDestination) async throws(SessionError) -> AccessCredential {
    // Check the destination before sending any request.
    try self.checkDestination(destination)
    let token = try await self.anyAccessToken(for: destination.target, minimumLifetime: .seconds(60))
    return try self.credential(token, for: destination)
  }

  /// Returns a different token for a destination that rejected `rejectedToken`, and the key that the returned token is
  /// bound to. Returns `nil` if a refresh is unlikely to help.
  func credential(
    insteadOf rejectedToken: Secret<String>, for destination: TokenDestination
  ) async throws(SessionError) -> AccessCredential? {
    guard let token = try await self.accessToken(insteadOf: rejectedToken, for: destination) else { return nil }
    return try self.credential(token, for: destination)
  }

  /// Returns the token with the key that it is bound to. Checks the destination again: while the caller waited, the
  /// session may have adopted the tokens of another sign-in, which can be for other APIs.
  private func credential(
    _ token: AccessToken, for destination: TokenDestination
  ) throws(SessionError) -> AccessCredential {
    try self.checkDestination(destination)
    guard token.type == .dpop else { return AccessCredential(token: token.value, type: .bearer, key: nil) }
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
    return AccessCredential(token: token.value, type: .dpop, key: self.dpopKey?.key)
  }

  /// The last verified ID token, or `nil` if there is none. Sessions of previews of version 0.1 can lack it
  /// until the next refresh.
  ///
  /// Send it only to a party that expects it, such as a Kubernetes API server: its audience is this client, not an API.
  public var idToken: Secret<String>? { self.tokenSet.idToken }
  /// All claims of the last verified ID token, including those that ``claims`` has no property for. Empty if there is
  /// no ID token.
  public var allClaims: [String: JSONValue] {
    guard let token = self.tokenSet.idToken?.reveal(), let jws = try? JWSCompact(token) else { return [:] }
    return JSONValue.members(of: jws.payload) ?? [:]
  }
  /// The members of the token responses that RFC 6749 and OpenID Connect don't define, such as `instance_url` or
  /// `patient`. A member of a later response replaces an earlier member with the same name. Responses with a token for
  /// another ``TokenTarget`` are not included.
  ///
  /// The members are secret, because some servers return further tokens in them. No signature protects the members.
  public var additionalMembers: Secret<[String: JSONValue]> { self.tokenSet.additional }

  /// Checks that the current tokens may be sent to the destination (rule C-34).
  private func checkDestination(_ destination: TokenDestination) throws(SessionError) {
    guard case .api(let origin, let target) = destination else { return }
    let origins = self.tokenSet.origins(for: target, otherwise: self.client.tokenOrigins)
    guard origins.contains(origin) else { throw .originNotAllowed }
  }

  /// Requests a new access token for the session itself, even if the current one is still valid.
  /// - Throws: ``SessionError``
  public func refresh() async throws(SessionError) {
    try self.checkNotEnded()
    _ = try await self.renew(.demand, .own)
  }

  /// A stream of the session's future events. It finishes when the session ends. Of the events that have not been read,
  /// only the newest 64 are kept.
  public var events: AsyncStream<SessionEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(64))
    guard self.endReason == nil else {
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

  /// Checks that the server has not rejected the session's refresh token. After a rejection, the access token can still
  /// be valid for a while.
  package func checkNotEndedByServer() throws(SessionError) {
    if self.tokenSet.errorResponse != nil { throw .signInRequired(self.tokenSet.requirement) }
  }

  /// Waits for the refreshes in progress, so that a program that exits doesn't lose the server's response.
  package func waitForRefresh() async {
    for task in self.refreshes.tasks { _ = await task.value }
  }

  /// Returns a different access token for a destination that rejected `rejectedToken`, or `nil` if a refresh is
  /// unlikely to help.
  private func accessToken(
    insteadOf rejectedToken: Secret<String>, for destination: TokenDestination
  ) async throws(SessionError) -> AccessToken? {
    try self.checkNotEnded()
    let target = destination.target
    guard let token = self.tokenSet.token(for: target.key), token.value == rejectedToken else {
      return try await self.anyAccessToken(for: target, minimumLifetime: .zero)
    }
    guard self.tokenSet.refreshToken != nil, self.mayReplace(token, for: destination) else { return nil }
    do {
      return try await self.renew(.rejection, target)
    } catch {
      // A read-only session cannot refresh. The API's response then says more than the error `readOnly`.
      guard error == .readOnly else { throw error }
      return nil
    }
  }

  /// Whether a refresh can help after a rejection. If an API rejects a new token, for example because the token is for
  /// another API, it would also reject the next token, and each request would cause a refresh. The server that issued
  /// the token rejects it only if the token is no longer valid.
  private func mayReplace(_ token: AccessToken, for destination: TokenDestination) -> Bool {
    if case .server = destination { return true }
    let age = self.client.now() - token.obtainedAt
    // A negative age means that the clock was set back, so the real age is unknown.
    return age < .zero || age > Self.shortestRetryAge
  }

  /// Identifies the sign-in of the current tokens.
  var tokenSetID: String { self.tokenSet.id }

  /// Why the user must sign in again, or `nil` if the session can be used.
  var signInRequirement: SignInRequirement? {
    if let requirement = self.endReason ?? self.interactionRequirement { return requirement }
    let isUsable = self.isRenewable || self.tokenSet.isValid(at: self.client.now())
    return isUsable ? nil : self.tokenSet.requirement
  }

  /// Reads the store, without a request: another process may have refreshed the tokens, signed in, or signed out.
  /// - Throws: ``SessionError/store(_:)``
  func reload() async throws(SessionError) {
    guard self.endReason == nil else { return }
    let stored: TokenSet?
    do {
      stored = try await self.client.tokenSets.load()
    } catch {
      throw .store(error)
    }
    guard let stored else { return self.finish(.signedOut) }
    guard self.endReason == nil, stored.supersedes(self.tokenSet) else { return }
    self.tokenSet = stored
    self.interactionRequirement = nil
    self.emit(.adopted)
  }

  /// Ends the session in this process.
  func finish(_ requirement: SignInRequirement) {
    guard self.endReason == nil else { return }
    self.endReason = requirement
    self.emit(.ended(requirement))
    for observer in self.observers.values { observer.finish() }
    self.observers = [:]
  }

  func checkNotEnded() throws(SessionError) {
    if let reason = self.endReason { throw .signInRequired(reason) }
  }

  private func renew(
    _ reason: RefreshTransaction.Reason, _ target: TokenTarget, minimumLifetime: Duration = .seconds(60)
  ) async throws(SessionError) -> AccessToken {
    let result = await self.refreshes.valueUnlessCanceled(for: target.key) {
      await self.perform(reason, target, minimumLifetime)
    }
    guard let result else { throw .cancelled }
    let outcome = try result.get()
    switch outcome {
    case .unsaved(_, let error): throw .store(error)
    // The last token satisfies only a caller that needs any valid token of the session itself.
    case .lastToken(_, let requirement) where reason == .demand || !target.key.isOwn: throw .signInRequired(requirement)
    case .targetRejected(_, let errorResponse): throw .signInRequired(.interactionRequired(errorResponse))
    default: break
    }
    guard let token = outcome.tokenSet.token(for: target.key) else { throw .signInRequired(outcome.tokenSet.requirement) }
    return token
  }

  /// Runs a refresh and applies its result once, even if several callers wait for the refresh, or all of them are
  /// canceled.
  ///
  /// Refreshes for several targets run one after another, so that each refresh begins with the tokens of the previous
  /// refresh.
  private func perform(
    _ reason: RefreshTransaction.Reason, _ target: TokenTarget, _ minimumLifetime: Duration
  ) async -> Refreshed {
    let previous = self.lastRefresh
    let refresh = Task {
      _ = await previous?.value
      let transaction = RefreshTransaction(
        client: self.client, observed: self.tokenSet, reason: reason, target: target, minimumLifetime: minimumLifetime)
      let result = self.isReadOnly ? await transaction.adopt() : await transaction.run()
      self.apply(result, target)
      return result
    }
    self.lastRefresh = refresh
    return await refresh.value
  }

  private func apply(_ result: Refreshed, _ target: TokenTarget) {
    if case .success = result { self.interactionRequirement = nil }
    switch result {
    case .success(let outcome):
      let wasRenewable = self.tokenSet.refreshToken != nil
      self.tokenSet = outcome.tokenSet
      switch outcome {
      case .adopted: self.emit(.adopted)
      case .lastToken(_, let requirement): if wasRenewable { self.emit(.notRenewable(requirement)) }
      case .refreshed where !target.key.isOwn, .unsaved where !target.key.isOwn:
        self.emit(.refreshedTarget(target))
      // If the server rejected the target, it has still refreshed the session's own access token.
      case .refreshed, .unsaved, .targetRejected: self.emit(.refreshed)
      }
    case .failure(.signInRequired(let requirement)) where requirement.endsSession:
      self.finish(requirement)
    case .failure(.signInRequired(let requirement)) where target.key.isOwn:
      self.interactionRequirement = requirement
      self.emit(.signInRequired(requirement))
    case .failure:
      break
    }
  }

  private func emit(_ event: SessionEvent) {
    for observer in self.observers.values { observer.yield(event) }
  }

  private func forget(_ observer: Int) {
    self.observers[observer] = nil
  }

  /// If an API rejects a token whose age is at most this duration, the session is not refreshed.
  private static let shortestRetryAge = Duration.seconds(10)
}
