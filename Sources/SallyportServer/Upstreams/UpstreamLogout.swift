import SallyportProtocol
import SallyportRemote
import Synchronization

/// Ends sessions when an upstream (another OpenID provider) reports that the user has signed out there (OpenID Connect
/// Back-Channel Logout 1.0).
package struct UpstreamLogout: Sendable {
  let store: any Store
  let cache: ConfigurationCache
  let issuer: Issuer
  let providers: UpstreamProviders
  /// Signaled when a session has ended, so that clients are notified of the logout.
  let logoutSignal: WakeSignal
  let now: TimeSource
  private let failures = UpstreamLogoutFailures()

  init(
    store: any Store, cache: ConfigurationCache, issuer: Issuer, providers: UpstreamProviders, logoutSignal: WakeSignal,
    now: @escaping TimeSource
  ) {
    self.store = store
    self.cache = cache
    self.issuer = issuer
    self.providers = providers
    self.logoutSignal = logoutSignal
    self.now = now
  }

  /// Verifies a logout token and ends the sessions that it names. A token that names no existing session is accepted
  /// too.
  ///
  /// A disabled upstream can also end sessions, because sessions that began there continue after it was disabled.
  /// - Parameters:
  ///   - id: The identifier of the upstream, from the URI to which the token was sent.
  ///   - body: The form with the `logout_token`.
  ///   - address: The address of the sender, whose number of invalid tokens is limited.
  /// - Returns: The number of sessions that ended.
  package func run(
    _ id: String, body: String, from address: ClientAddress, _ origin: AuditOrigin
  ) async throws(UpstreamLogoutError) -> Int {
    guard !self.failures.isLimited(address, at: self.now()) else { throw .throttled }
    do throws(UpstreamLogoutError) {
      return try await self.attempt(id, body, from: origin)
    } catch {
      switch error {
      // The sender did not cause these errors.
      case .storage, .providerUnavailable: break
      default: self.failures.add(address, at: self.now())
      }
      throw error
    }
  }

  private func attempt(
    _ id: String, _ body: String, from origin: AuditOrigin
  ) async throws(UpstreamLogoutError) -> Int {
    guard let form = try? FormParameters(parsing: body), let text = form["logout_token"] else { throw .malformedRequest }
    let upstreams: [UpstreamRecord]
    do throws(StoreError) { upstreams = try await self.cache.upstreams() } catch { throw .storage(error) }
    guard let upstream = upstreams.first(where: { $0.id == id }).flatMap({ Upstream($0, of: self.issuer) }) else {
      throw .unknownUpstream
    }
    let token = try await self.verify(text, of: upstream)
    let count: Int?
    do throws(StoreError) { count = try await self.end(token, of: upstream, from: origin) } catch { throw .storage(error) }
    guard let count else { throw .replayed }
    if count > 0 { self.logoutSignal.send() }
    return count
  }

  private func verify(_ text: String, of upstream: Upstream) async throws(UpstreamLogoutError) -> LogoutToken {
    let provider: UpstreamProviders.Provider
    do throws(UpstreamFailure) { provider = try await self.providers.provider(of: upstream) } catch {
      throw .providerUnavailable
    }
    let verifier = LogoutTokenVerifier(
      issuer: provider.metadata.tokenIssuer, tenants: provider.metadata.tenants, clientID: upstream.record.clientID,
      keys: provider.keys, allowedAlgorithms: provider.metadata.idTokenSigningAlgorithms,
      leeway: .seconds(UpstreamExchange.leeway), now: self.now)
    do throws(LogoutTokenError) { return try await verifier.verify(text) } catch {
      if case .key(.document) = error { throw .providerUnavailable }
      throw .invalidToken(error)
    }
  }

  /// Ends the sessions in the transaction that consumes the token's `jti`, so that a token that could not be processed
  /// can be sent again.
  /// - Returns: The number of sessions that ended; nil if the token was used before.
  private func end(_ token: LogoutToken, of upstream: Upstream, from origin: AuditOrigin) async throws(StoreError) -> Int? {
    let fingerprint = Fingerprint(of: Secret("logout token\n\(upstream.id)\n\(token.issuer)\n\(token.id)"))
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) -> Int? in
      guard try tx.consumeIdentifier(fingerprint, expires: token.forgettableAt) else { return nil }
      let sessions = try Self.sessions(of: token, tx)
      for session in sessions {
        try SessionEnd.end(session, SessionEnd.Cause(reason: .upstreamLogout, origin: origin), at: now, in: &tx)
      }
      return sessions.count
    }
  }

  /// Returns the sessions that a token names: the sessions with its `sid` or, without a `sid`, all sessions of its
  /// `sub`. If the token has both, sessions of other users with this `sid` continue.
  private static func sessions(
    of token: LogoutToken, _ tx: borrowing any StoreSnapshot
  ) throws(StoreError) -> [BrowserSessionRecord] {
    if let sessionID = token.sessionID {
      let sessions = try tx.browserSessions(ofUpstream: token.issuer, sessionID: sessionID)
      return sessions.filter { token.subject == nil || $0.upstream?.subject == token.subject }
    }
    guard let subject = token.subject else { return [] }
    return try tx.browserSessions(ofUpstream: token.issuer, subject: subject)
  }
}

/// Limits the rejected logout tokens of an address. Accepted tokens do not count, because a provider sends the tokens
/// of all its users from few addresses.
private final class UpstreamLogoutFailures: Sendable {
  /// 60 rejected tokens at once, then one per second.
  private static let limit = RateLimit(60, thenOneEach: .seconds(1))
  private let limiter = Mutex(RateLimiter<[UInt8]>(fast: limit, slow: limit))

  func isLimited(_ address: ClientAddress, at now: Timestamp) -> Bool {
    !address.network.isEmpty && self.limiter.withLock { $0.wait(address.network, at: now) } != nil
  }

  func add(_ address: ClientAddress, at now: Timestamp) {
    guard !address.network.isEmpty else { return }
    self.limiter.withLock { $0.add(address.network, at: now) }
  }
}
