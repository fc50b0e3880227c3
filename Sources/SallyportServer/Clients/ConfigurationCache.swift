package import SallyportProtocol
import SallyportRemote
import Synchronization

/// A cache of clients, upstreams, and signing keys, valid until the store's configuration version changes.
///
/// A store that is notified of changes knows the version (``Store/watchedConfigurationVersion``). Otherwise, the
/// version is read at most once per ``checkInterval``. Either way, a change by another process takes effect after this
/// interval at the latest. Tokens that are signed with a new key are accepted at once (``keyRing(containing:)``). If
/// the version cannot be read, nothing that is cached is used, except for the published keys (``publishedKeys()``).
/// After a change by this process, call ``invalidate()``.
package final class ConfigurationCache: Sendable {
  private struct State {
    var version: Int64?
    var checkedAt: Timestamp?
    var keyRing: (ring: KeyRing, builtAt: Timestamp)?
    var clients = BoundedCache<ClientID, ClientRecord>(capacity: 10_000)
    var upstreams: [UpstreamRecord]?
  }

  private struct LastKeys {
    /// The published keys that were read last, from the store or from the copy.
    var keys: [PublishedKey]?
    var copy: (any PublishedKeyCopy)?
  }

  /// The maximum delay before a change by another process takes effect.
  package static var checkInterval: Duration { .milliseconds(250) }
  /// How long a key ring is used before it is built again, without the keys that the server no longer keeps. A key ring
  /// with a key whose publication has ended is built again at once.
  private static var keyRingLifetime: Duration { .seconds(60) }
  /// The shortest time between two reads that look for an unknown key. There are at most 40 such reads per second, even
  /// if someone sends many tokens with invented `kid` values.
  private static var reloadInterval: Duration { .milliseconds(25) }

  private let store: any Store
  private let sealer: KeySealer
  private let lifetimes: Lifetimes
  private let now: TimeSource
  private let state = Mutex(State())
  private let reload = SharedReload<StoreError>(interval: ConfigurationCache.reloadInterval)
  /// The keys for ``publishedKeys()``. Clearing the cache does not remove them.
  private let lastKeys = Mutex(LastKeys())

  package init(store: any Store, masterKey: MasterKey, lifetimes: Lifetimes, now: @escaping TimeSource) {
    self.store = store
    self.sealer = KeySealer(masterKey)
    self.lifetimes = lifetimes
    self.now = now
  }

  /// Clears the cache. Call this after this process has changed a client, an upstream, or a signing key.
  package func invalidate() {
    self.state.withLock { $0 = State() }
  }

  package func client(_ id: ClientID) async throws(StoreError) -> ClientRecord? {
    guard id.isWellFormed else { return nil }
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

  /// Returns all upstreams, including disabled ones.
  func upstreams() async throws(StoreError) -> [UpstreamRecord] {
    try await self.refresh()
    if let upstreams = self.state.withLock({ $0.upstreams }) { return upstreams }
    let (upstreams, version) = try await self.store.read { (tx) throws(StoreError) in
      (try tx.upstreams(), try tx.configurationVersion())
    }
    self.state.withLock { state in
      if state.version == version { state.upstreams = upstreams }
    }
    return upstreams
  }

  package func keyRing() async throws(KeyRingError) -> KeyRing {
    let now = self.now()
    let (keys, version): ([SigningKeyRecord], Int64)
    do throws(StoreError) {
      try await self.refresh()
      if let (ring, builtAt) = self.state.withLock({ $0.keyRing }), now - builtAt < Self.keyRingLifetime,
        ring.published.allSatisfy({ $0.isPublished(at: now) })
      {
        return ring
      }
      (keys, version) = try await self.store.read { (tx) throws(StoreError) in
        (try tx.signingKeys(), try tx.configurationVersion())
      }
    } catch { throw .storage(error) }
    let ring = try self.ring(of: keys, at: now)
    self.remember(ring.published)
    self.state.withLock { state in
      if state.version == version { state.keyRing = (ring, now) }
    }
    return ring
  }

  /// Returns the keys for a token with this `kid`. If the cached keys do not contain this key, reads the version in the
  /// store, because another server may have created the key a moment ago (`sallyportd key rotate --immediately`).
  package func keyRing(containing keyID: String) async throws(KeyRingError) -> KeyRing {
    let ring = try await self.keyRing()
    if ring.hintKey(id: keyID) != nil { return ring }
    do throws(StoreError) {
      try await self.reload.run { () throws(StoreError) in try await self.readVersion(at: self.now()) }
    } catch { throw .storage(error) }
    return try await self.keyRing()
  }

  /// Returns the JWK Set document, even while the store is unavailable.
  ///
  /// If the store fails, or does not respond within the request's ``StoreTime``, the document contains the keys that
  /// were read last, by this process or by an earlier one with the same copy (``keepPublishedKeys(in:)``). Keys whose
  /// publication has ended since then are left out. It does not matter how long ago the keys were read: while no server
  /// can write to the store, they cannot change. If other servers can still write to the store, a server that is cut
  /// off from it is not ready, so a load balancer that checks readiness sends it no requests.
  /// - Throws: ``KeyRingError/storage(_:)`` if the store is unavailable and the keys were never read. Another
  ///   ``KeyRingError`` if the stored keys cannot be used.
  package func publishedKeys() async throws(KeyRingError) -> [UInt8] {
    do { return try await self.keyRing().document } catch {
      guard case .storage = error, let last = self.lastKeys.withLock({ $0.keys }),
        let document = try? PublishedKey.document(of: last, at: self.now())
      else { throw error }
      return document
    }
  }

  /// Saves the published keys whenever they change, and publishes the saved keys while the store is unavailable and
  /// this process has not read any. Call this before the first request.
  package func keepPublishedKeys(in copy: some PublishedKeyCopy) {
    self.lastKeys.withLock { $0 = LastKeys(keys: copy.load(), copy: copy) }
  }

  private func remember(_ keys: [PublishedKey]) {
    self.lastKeys.withLock { last in
      guard last.keys != keys else { return }
      last.keys = keys
      // Save while the lock is held, so that concurrent calls save in the same order in which they set `keys`.
      last.copy?.save(keys)
    }
  }

  /// Whether the version was read recently. A time in the future, after the clock was set back, is not recent.
  private func isFresh(_ state: borrowing State, at now: Timestamp) -> Bool {
    state.checkedAt.map { $0 <= now && now - $0 < Self.checkInterval } ?? false
  }

  private func ring(of keys: [SigningKeyRecord], at now: Timestamp) throws(KeyRingError) -> KeyRing {
    do { return try KeyRing(keys, sealer: self.sealer, lifetimes: self.lifetimes, at: now) } catch {
      throw error as? KeyRingError ?? .unusable
    }
  }

  /// Clears the cache if the version in the store has changed.
  private func refresh() async throws(StoreError) {
    if let version = self.store.watchedConfigurationVersion {
      return self.state.withLock { state in
        if state.version != version { state = State(version: version) }
      }
    }
    let now = self.now()
    if self.state.withLock({ self.isFresh($0, at: now) }) { return }
    try await self.readVersion(at: now)
  }

  /// Reads the version in the store, and clears the cache if it has changed.
  private func readVersion(at now: Timestamp) async throws(StoreError) {
    let version = try await self.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    self.state.withLock { state in
      if state.version != version { state = State() }
      state.version = version
      state.checkedAt = now
    }
  }
}
