package import SallyportProtocol
import Synchronization

/// The clients and keys, read once and kept until the store says that something changed.
///
/// The store's configuration version is compared at most every ``checkInterval``, so a change by another process is seen that
/// soon, and a change by this one at once after ``invalidate()``.
package final class ConfigurationCache: Sendable {
  private struct State {
    var version: Int64?
    var checkedAt: Timestamp?
    var keyRing: (ring: KeyRing, builtAt: Timestamp)?
    var clients: [ClientID: ClientRecord] = [:]
  }

  /// How long a change by another process may go unnoticed.
  package static var checkInterval: Duration { .milliseconds(250) }
  /// How long a key ring is used before those keys that ended meanwhile are left out of it.
  private static var keyRingLifetime: Duration { .seconds(60) }
  /// Clients kept; more are read from the store each time.
  private static var maximumClients: Int { 10_000 }

  private let store: any Store
  private let sealer: KeySealer
  private let lifetimes: Lifetimes
  private let now: TimeSource
  private let state = Mutex(State())

  package init(store: any Store, masterKey: MasterKey, lifetimes: Lifetimes, now: @escaping TimeSource) {
    self.store = store
    self.sealer = KeySealer(masterKey)
    self.lifetimes = lifetimes
    self.now = now
  }

  package func invalidate() {
    self.state.withLock { $0 = State() }
  }

  package func client(_ id: ClientID) async throws(StoreError) -> ClientRecord? {
    // RFC 6749 appendix A.1. Swift compares by canonical equivalence, under which U+212A is the letter K.
    guard id.rawValue.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    try await self.refresh()
    if let client = self.state.withLock({ $0.clients[id] }) { return client }
    let (client, version) = try await self.store.read { (tx) throws(StoreError) in
      (try tx.client(id), try tx.configurationVersion())
    }
    if let client {
      self.state.withLock { state in
        if state.version == version, state.clients.count < Self.maximumClients { state.clients[id] = client }
      }
    }
    return client
  }

  package func keyRing() async throws -> KeyRing {
    try await self.refresh()
    let now = self.now()
    if let (ring, builtAt) = self.state.withLock({ $0.keyRing }), now - builtAt < Self.keyRingLifetime { return ring }
    let (keys, version) = try await self.store.read { (tx) throws(StoreError) in
      (try tx.signingKeys(), try tx.configurationVersion())
    }
    let ring = try KeyRing(keys, sealer: self.sealer, lifetimes: self.lifetimes, at: now)
    self.state.withLock { state in
      if state.version == version { state.keyRing = (ring, now) }
    }
    return ring
  }

  /// Forgets everything where the version in the store is another one.
  private func refresh() async throws(StoreError) {
    let now = self.now()
    let isFresh = self.state.withLock { state in
      state.checkedAt.map { $0 <= now && now - $0 < Self.checkInterval } ?? false
    }
    if isFresh { return }
    let version = try await self.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    self.state.withLock { state in
      if state.version != version { state = State() }
      state.version = version
      state.checkedAt = now
    }
  }
}
