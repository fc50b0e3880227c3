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

  /// Claims a redirect URI while `body` signs in with it; afterwards the grant holds the claim, if there is one.
  /// - Parameter limit: how long that takes at the most. After it a claim of a process that died does not hold any more.
  /// - Throws: ``SignInError/redirectURIBelongsTo(issuer:)``, or what `body` throws.
  func withClaim<R: Sendable>(
    on redirectURI: RedirectURI, for issuer: Issuer, clientID: String, limit: Duration, _ body: () async throws -> R
  ) async throws -> R {
    let key = Self.key(redirectURI)
    let signIn = RandomText.base64URL(bits: 64)
    if let other = try await self.claim(key, for: issuer, clientID: clientID, signIn: signIn, until: self.now() + limit) {
      throw SignInError.redirectURIBelongsTo(issuer: other)
    }
    do {
      let result = try await body()
      await self.end(key, signIn: signIn)
      return result
    } catch {
      await self.end(key, signIn: signIn)
      throw error
    }
  }

  /// - Returns: the issuer that the URI belongs to already, if it is another one.
  private func claim(
    _ key: TokenStoreKey, for issuer: Issuer, clientID: String, signIn: String, until limit: Timestamp
  ) async throws -> String? {
    try await self.store.withLease(on: key) {
      var claim = try await self.load(key) ?? Claim(issuer: issuer.value)
      if claim.issuer != issuer.value {
        if try await self.holds(claim) { return claim.issuer }
        claim = Claim(issuer: issuer.value)
      }
      claim.clients.insert(clientID)
      claim.pending = claim.pending.filter { self.now().milliseconds < $0.value }
      claim.pending[signIn] = limit.milliseconds
      try await self.save(claim, key)
      return nil
    }
  }

  /// Should this fail, the claim ends by itself; what went wrong in the sign-in is what the app must hear.
  private func end(_ key: TokenStoreKey, signIn: String) async {
    // Not cancelled with the sign-in, since it is the cancelled one that has to be ended.
    await Task {
      try? await self.store.withLease(on: key) {
        guard var claim = try await self.load(key), claim.pending.removeValue(forKey: signIn) != nil else { return }
        try await self.save(claim, key)
      }
    }.value
  }

  private struct Claim: Codable {
    var version = 1
    var issuer: String
    /// The clients that have signed in with the URI.
    var clients: Set<String> = []
    /// The sign-ins that are under way, and until when at the most (milliseconds since 1970).
    var pending: [String: Int64] = [:]

    init(issuer: String) {
      self.issuer = issuer
    }
  }

  private func holds(_ claim: Claim) async throws(TokenStoreError) -> Bool {
    let now = self.now().milliseconds
    if claim.pending.values.contains(where: { now < $0 }) { return true }
    for clientID in claim.clients {
      if try await self.store.load(GrantStore.key(issuer: claim.issuer, clientID: clientID)) != nil { return true }
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
