package import SallyportProtocol
import SallyportRemote
import Synchronization

/// A cache of clients and signing keys, valid until the store's configuration version changes.
///
/// The version is checked at most once per ``checkInterval``, so a change by another process may take effect only after
/// this time. After a change by this process, call ``invalidate()``.
package final class ConfigurationCache: Sendable {
  private struct State {
    var version: Int64?
    var checkedAt: Timestamp?
    var keyRing: (ring: KeyRing, builtAt: Timestamp)?
    var clients = BoundedCache<ClientID, ClientRecord>(capacity: 10_000)
  }

  /// The maximum delay before a change by another process takes effect.
  package static var checkInterval: Duration { .milliseconds(250) }
  /// How long a key ring is used before it is built again without the keys that have expired.
  private static var keyRingLifetime: Duration { .seconds(60) }

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

  /// Clears the cache. Call this after this process has changed a client or a signing key.
  package func invalidate() {
    self.state.withLock { $0 = State() }
  }

  package func client(_ id: ClientID) async throws(StoreError) -> ClientRecord? {
    // Client IDs are ASCII (RFC 6749 appendix A.1). `String` compares by canonical equivalence, so U+212A would equal
    // the letter K.
    guard id.rawValue.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    try await self.refresh()
    if let client = self.state.withLock({ $0.clients.value(for: id) }) { return client }
    let (client, version) = try await self.store.read { (tx) throws(StoreError) in
      (try tx.client(id), try tx.configurationVersion())
    }
    if let client {
      self.state.withLock { state in
        if state.version == version { state.clients.insert(client, for: id) }
      }
    }
    return client
  }

  package func keyRing() async throws(KeyRingError) -> KeyRing {
    let now = self.now()
    let (keys, version): ([SigningKeyRecord], Int64)
    do throws(StoreError) {
      try await self.refresh()
      if let (ring, builtAt) = self.state.withLock({ $0.keyRing }), now - builtAt < Self.keyRingLifetime { return ring }
      (keys, version) = try await self.store.read { (tx) throws(StoreError) in
        (try tx.signingKeys(), try tx.configurationVersion())
      }
    } catch { throw .storage(error) }
    let ring: KeyRing
    do { ring = try KeyRing(keys, sealer: self.sealer, lifetimes: self.lifetimes, at: now) } catch {
      throw error as? KeyRingError ?? .unusable
    }
    self.state.withLock { state in
      if state.version == version { state.keyRing = (ring, now) }
    }
    return ring
  }

  /// Clears the cache if the version in the store has changed.
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
