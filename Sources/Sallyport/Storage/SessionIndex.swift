#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// The list of sessions in a store, which is needed because a store cannot enumerate its keys.
///
/// A session is added before its tokens are saved, and removed after they are removed. A crash in between leaves at
/// most an entry without tokens, which ``sessions()`` skips. If an entry is lost, its session can still be restored,
/// because ``OAuthClient/restoreSession(readOnly:)`` doesn't read the list.
struct SessionIndex: Sendable {
  let store: any TokenStore

  static let key = TokenStoreKey(kind: "sessions", issuer: "", clientID: "")

  func sessions() async throws(TokenStoreError) -> [StoredSession] {
    var sessions: [StoredSession] = []
    for session in try await self.entries() where try await self.hasTokens(session) { sessions.append(session) }
    return sessions
  }

  /// Whether the store contains tokens of a session. Damaged tokens count too, so that the user can sign out.
  private func hasTokens(_ session: StoredSession) async throws(TokenStoreError) -> Bool {
    do {
      return try await self.store.load(session.key) != nil
    } catch .damaged {
      return true
    }
  }

  /// The entries of one client at one issuer, even if their tokens cannot be read.
  func entries(of issuer: Issuer, clientID: String) async throws(TokenStoreError) -> [StoredSession] {
    try await self.entries().filter { $0.issuer == issuer && $0.clientID == clientID }
  }

  func add(_ session: StoredSession) async throws {
    // In most cases the list contains the session already, and no lease is needed.
    if try await self.entries().contains(session) { return }
    try await self.change { entries in
      if !entries.contains(session) { entries.append(session) }
    }
  }

  /// Removes the entry of a session whose tokens were removed. If the store contains tokens of the session again, the
  /// user has signed in again in the meantime, and the entry is kept.
  func remove(_ session: StoredSession) async throws {
    try await self.change { entries in
      if try await self.store.load(session.key) == nil { entries.removeAll { $0 == session } }
    }
  }

  /// Adds sessions without taking the lease on the list (the lock that excludes other writers), because the caller may
  /// already hold it.
  func add(_ sessions: [StoredSession]) async throws(TokenStoreError) {
    guard let list = Self.adding(sessions, to: try await self.store.loadUndamaged(Self.key)) else { return }
    try await self.store.save(list, for: Self.key)
  }

  /// Adds sessions to a stored list.
  /// - Returns: The new list, or `nil` if the stored list already contains all of the sessions, or if the new list
  ///   cannot be encoded.
  static func adding(_ sessions: [StoredSession], to stored: Secret<[UInt8]>?) -> Secret<[UInt8]>? {
    let entries = Self.entries(stored)
    let newSessions = sessions.filter { !entries.contains($0) }
    guard !newSessions.isEmpty, let json = try? JSONEncoder().encode(entries + newSessions) else { return nil }
    return Secret(Array(json))
  }

  private func change(_ body: @Sendable (inout [StoredSession]) async throws -> Void) async throws {
    try await self.store.withLease(on: Self.key) {
      var entries = try await self.entries()
      try await body(&entries)
      try await self.store.save(Secret(Array(try JSONEncoder().encode(entries))), for: Self.key)
    }
  }

  /// Loads the list. An unreadable list counts as empty: later sign-ins fill it again, and no session depends on it.
  func entries() async throws(TokenStoreError) -> [StoredSession] {
    Self.entries(try await self.store.loadUndamaged(Self.key))
  }

  private static func entries(_ stored: Secret<[UInt8]>?) -> [StoredSession] {
    stored.flatMap { try? JSONDecoder().decode([StoredSession].self, from: Data($0.reveal())) } ?? []
  }
}
