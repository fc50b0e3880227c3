#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// Records in the store which issuer each redirect URI belongs to (RFC 8252 §8.10), for all runs of an app.
///
/// Using one redirect URI with two authorization servers enables mix-up attacks, so the second server is rejected. A
/// claim is valid while a sign-in with it is in progress, or a session from such a sign-in exists. Claims need no
/// explicit release, so a process that crashes cannot block a redirect URI permanently.
struct RedirectClaims: Sendable {
  let store: any TokenStore
  let now: TimeSource

  /// Claims a redirect URI for a sign-in. After the sign-in, the stored session keeps the claim.
  ///
  /// If a process crashes, its claim expires shortly after the sign-in itself would have expired.
  /// - Throws: ``SignInError/redirectURIBelongsTo(issuer:)``, or the store's error.
  func claim(for pending: PendingSignIn) async throws {
    let key = Self.key(pending.redirectURI)
    let other = try await self.store.withLease(on: key) { () -> String? in
      let issuer = pending.issuer.value
      var claim = try await self.load(key) ?? Claim(issuer: issuer)
      if claim.issuer != issuer {
        if try await self.holds(claim) { return claim.issuer }
        claim = Claim(issuer: issuer)
      }
      claim.sessions.insert(pending.session)
      claim.pending = claim.pending.filter { self.now().milliseconds < $0.value }
      // Leave time for the code exchange after the response.
      claim.pending[pending.id] = (pending.expiresAt + .seconds(120)).milliseconds
      try await self.save(claim, key)
      return nil
    }
    if let other { throw SignInError.redirectURIBelongsTo(issuer: other) }
  }

  /// Ends a sign-in's claim. Errors are ignored: the claim expires by itself, and the app must see the sign-in's own
  /// error.
  func end(_ pending: PendingSignIn) async {
    let key = Self.key(pending.redirectURI)
    // Runs in a separate task, because the sign-in's task may be canceled.
    await Task {
      try? await self.store.withLease(on: key) {
        guard var claim = try await self.load(key), claim.pending.removeValue(forKey: pending.id) != nil else { return }
        try await self.save(claim, key)
      }
    }.value
  }

  private struct Claim: Codable {
    var version = 1
    var issuer: String
    /// The sessions that were created with this redirect URI.
    var sessions: Set<StoredSession> = []
    /// The sign-ins in progress, each with the time when its claim expires (milliseconds since 1970).
    var pending: [String: Int64] = [:]

    init(issuer: String) {
      self.issuer = issuer
    }
  }

  private func holds(_ claim: Claim) async throws(TokenStoreError) -> Bool {
    let now = self.now().milliseconds
    if claim.pending.values.contains(where: { now < $0 }) { return true }
    for session in claim.sessions {
      if try await self.store.load(session.key) != nil { return true }
    }
    return false
  }

  private func load(_ key: TokenStoreKey) async throws -> Claim? {
    guard let stored = try await self.store.load(key) else { return nil }
    guard let claim = try? JSONDecoder().decode(Claim.self, from: Data(stored.reveal())), claim.version == 1 else {
      throw TokenStoreError.damaged(reason: "the record of a redirect URI cannot be read")
    }
    return claim
  }

  private func save(_ claim: Claim, _ key: TokenStoreKey) async throws {
    try await self.store.save(Secret(Array(try JSONEncoder().encode(claim))), for: key)
  }

  /// The key of a claim. Loopback URIs that differ only in address or port share one key, because only the path and
  /// query distinguish servers.
  private static func key(_ redirectURI: RedirectURI) -> TokenStoreKey {
    let text =
      switch redirectURI.kind {
      case .loopback: "loopback:\(redirectURI.components.path)?\(redirectURI.components.query ?? "")"
      case .https, .privateUse: redirectURI.value
      }
    return TokenStoreKey(kind: "redirect \(text)", issuer: "", clientID: "")
  }
}
