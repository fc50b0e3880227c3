#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// Which issuer each redirect URI belongs to, RFC 8252 §8.10: kept in the store, so that it holds for all runs of an app.
///
/// One redirect URI for two authorization servers is what makes a mix-up attack possible, so the second one is refused. A claim
/// ends when the last client that made it signs out.
struct RedirectClaims: Sendable {
  private let store: any TokenStore

  init(store: any TokenStore) {
    self.store = store
  }

  /// Claims a redirect URI for an issuer.
  /// - Returns: the issuer that the URI belongs to already, if it is another one; nil where the claim holds.
  func claim(_ redirectURI: RedirectURI, for issuer: Issuer, clientID: String) async throws -> String? {
    let key = Self.key(redirectURI)
    return try await self.store.withLease(on: key) {
      var claim = try await self.load(key) ?? Claim(redirectURI: redirectURI, issuer: issuer)
      guard claim.issuer == issuer.value else { return claim.issuer }
      guard claim.clients.insert(clientID).inserted else { return nil }
      try await self.save(claim, key)
      return nil
    }
  }

  /// Gives a client's claim up.
  func release(_ redirectURI: RedirectURI, by issuer: Issuer, clientID: String) async throws {
    let key = Self.key(redirectURI)
    try await self.store.withLease(on: key) {
      guard var claim = try await self.load(key), claim.issuer == issuer.value, claim.clients.remove(clientID) != nil
      else { return }
      if claim.clients.isEmpty {
        try await self.store.remove(key)
      } else {
        try await self.save(claim, key)
      }
    }
  }

  private struct Claim: Codable {
    var version = 1
    var issuer: String
    var clients: Set<String> = []

    init(redirectURI: RedirectURI, issuer: Issuer) {
      self.issuer = issuer.value
    }
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
