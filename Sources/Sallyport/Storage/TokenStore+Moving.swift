package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TokenStore {
  /// Moves a value from another store to this one. If this store already has a value, that value is kept, and
  /// the other store's value is removed.
  /// - Returns: The value that this store has now.
  package func adopt(_ key: TokenStoreKey, from other: any TokenStore) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    let own = try await self.load(key)
    if own == nil, let value = try await other.load(key) {
      try await self.save(value, for: key)
      try await other.remove(key)
      return value
    }
    try await other.remove(key)
    return own
  }

  /// Moves all sessions of a client from another store, with their entries in that store's list of sessions
  /// (``SessionIndex``).
  package func adoptSessions(of clientID: String, from other: any TokenStore) async throws(TokenStoreError) {
    let index = SessionIndex(store: other)
    let sessions = try await index.entries().filter { $0.clientID == clientID }
    for session in sessions { _ = try await self.adopt(session.key, from: other) }
    // The caller may hold the lease on this store's index, so the entries are added without taking the lease. A
    // concurrent change can then be lost, but no session depends on the index.
    try await SessionIndex(store: self).add(sessions)
    for session in sessions { try? await index.remove(session) }
  }
}
