#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// Which sessions rest in a store, since a store finds a value by its key and lists none.
///
/// A session is entered before its grant is saved and crossed out after the grant was removed, so that a crash between leaves an
/// entry without a grant, which ``sessions()`` passes over, and never a grant without an entry.
struct SessionIndex: Sendable {
  let store: any TokenStore

  private static let key = TokenStoreKey(kind: "sessions", issuer: "", clientID: "")

  func sessions() async throws(TokenStoreError) -> [StoredSession] {
    var sessions: [StoredSession] = []
    for session in try await self.entries() where try await self.store.load(session.key) != nil { sessions.append(session) }
    return sessions
  }

  /// Those of one client at one issuer, also where their grants cannot be read.
  func entries(of issuer: Issuer, clientID: String) async throws(TokenStoreError) -> [StoredSession] {
    try await self.entries().filter { $0.issuer == issuer && $0.clientID == clientID }
  }

  func enter(_ session: StoredSession) async throws {
    if try await self.entries().contains(session) { return }
    try await self.change { entries in
      if !entries.contains(session) { entries.append(session) }
    }
  }

  /// Crosses a session out, unless somebody has signed in to it again.
  func crossOut(_ session: StoredSession) async throws {
    try await self.change { entries in
      if try await self.store.load(session.key) == nil { entries.removeAll { $0 == session } }
    }
  }

  private func change(_ body: @Sendable (inout [StoredSession]) async throws -> Void) async throws {
    try await self.store.withLease(on: Self.key) {
      var entries = try await self.entries()
      try await body(&entries)
      try await self.store.save(Secret(Array(try JSONEncoder().encode(entries))), for: Self.key)
    }
  }

  /// A list that cannot be read counts as empty: it is written anew as people sign in, and no session hangs on it.
  private func entries() async throws(TokenStoreError) -> [StoredSession] {
    do {
      guard let stored = try await self.store.load(Self.key) else { return [] }
      return (try? JSONDecoder().decode([StoredSession].self, from: Data(stored.reveal()))) ?? []
    } catch .damaged {
      return []
    }
  }
}
