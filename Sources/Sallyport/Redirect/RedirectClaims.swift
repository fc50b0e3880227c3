#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// Which issuer each redirect URI belongs to, RFC 8252 §8.10: kept in the store, so that it holds for all runs of an app.
///
/// One redirect URI for two authorization servers is what makes a mix-up attack possible, so the second one is refused. A claim
/// holds while somebody signs in with it or is signed in by it; nothing has to be given back, so a process that dies leaves
/// nothing that would stand in the way for ever.
struct RedirectClaims: Sendable {
  let store: any TokenStore
  let now: TimeSource

  /// Claims a redirect URI for a sign-in; afterwards the grant holds the claim, if there is one.
  ///
  /// A claim of a process that died does not hold any more once the sign-in's time is over.
  /// - Throws: ``SignInError/redirectURIBelongsTo(issuer:)``, or what the store throws.
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
      // The exchange takes its time after the answer.
      claim.pending[pending.id] = (pending.expiresAt + .seconds(120)).milliseconds
      try await self.save(claim, key)
      return nil
    }
    if let other { throw SignInError.redirectURIBelongsTo(issuer: other) }
  }

  /// Should this fail, the claim ends by itself; what went wrong in the sign-in is what the app must hear.
  func end(_ pending: PendingSignIn) async {
    let key = Self.key(pending.redirectURI)
    // Not cancelled with the sign-in, since it is the cancelled one that has to be ended.
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
    /// Those for which somebody has signed in with the URI.
    var sessions: Set<StoredSession> = []
    /// The sign-ins that are under way, and until when at the most (milliseconds since 1970).
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

  /// The loopback addresses and ports are one here: it is the path that tells the servers apart.
  private static func key(_ redirectURI: RedirectURI) -> TokenStoreKey {
    let text =
      switch redirectURI.kind {
      case .loopback: "loopback:\(redirectURI.components.path)?\(redirectURI.components.query ?? "")"
      case .https, .privateUse: redirectURI.value
      }
    return TokenStoreKey(kind: "redirect \(text)", issuer: "", clientID: "")
  }
}
