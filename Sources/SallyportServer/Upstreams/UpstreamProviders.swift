import SallyportProtocol
import SallyportRemote
import Synchronization

/// A cache of the metadata and the keys of upstreams. At most one request at a time fetches the metadata of a provider.
final class UpstreamProviders: Sendable {
  /// A provider whose metadata was validated.
  struct Provider: Sendable {
    let metadata: ProviderMetadata
    let keys: JWKSCache
    let transport: UpstreamTransport
  }

  private struct Entry {
    let transport: UpstreamTransport
    var provider: Provider?
    var loadedAt: Timestamp?
    var failedAt: Timestamp?
  }

  /// The age at which metadata is fetched again before it is used. If the fetch fails, the old metadata is used.
  static let lifetime = Duration.seconds(3_600)
  /// How long to wait after a failed fetch before fetching the metadata of a provider again.
  static let retryInterval = Duration.seconds(10)

  private let base: any Transport
  private let now: TimeSource
  /// A provider is identified by its issuer and its tenants, because the tenants decide which metadata is valid.
  private struct Key: Hashable {
    let issuer: String
    let tenantTemplate: String?
    let allowedTenants: Set<String>?

    init(_ upstream: Upstream) {
      self.issuer = upstream.issuer.value
      self.tenantTemplate = upstream.tenants?.issuerTemplate
      self.allowedTenants = upstream.tenants?.allowed
    }
  }

  private let entries = Mutex<[Key: Entry]>([:])
  private let fetches = SingleFlight<Key, Result<Provider, DiscoveryError>>()

  /// - Parameter transport: Sends the requests. It may reach the operator's own network, because operators choose the
  ///   upstreams.
  init(transport: any Transport, now: @escaping TimeSource) {
    self.base = transport
    self.now = now
  }

  /// Returns the provider of an upstream, with metadata from the cache if it is recent or cannot be fetched again.
  /// - Throws: ``UpstreamFailure/unavailable`` if the metadata was never fetched, and cannot be fetched now.
  func provider(of upstream: Upstream) async throws(UpstreamFailure) -> Provider {
    let now = self.now()
    let entry = self.entry(of: Key(upstream))
    if let provider = entry.provider, let loadedAt = entry.loadedAt, Self.isRecent(loadedAt, Self.lifetime, at: now) {
      return provider
    }
    if let failedAt = entry.failedAt, Self.isRecent(failedAt, Self.retryInterval, at: now) {
      guard let provider = entry.provider else { throw .unavailable }
      return provider
    }
    let result = await self.fetches.start(Key(upstream)) { await self.load(upstream, over: entry.transport) }.value
    switch result {
    case .success(let provider): return provider
    case .failure:
      guard let provider = entry.provider else { throw .unavailable }
      return provider
    }
  }

  /// Returns the metadata of an upstream if it was fetched before, without waiting for the provider.
  func cachedMetadata(of upstream: Upstream) -> ProviderMetadata? {
    self.entries.withLock { $0[Key(upstream)]?.provider?.metadata }
  }

  /// Whether less than `duration` has passed since `time`. False if the clock was set back to before `time`.
  private static func isRecent(_ time: Timestamp, _ duration: Duration, at now: Timestamp) -> Bool {
    time <= now && now - time < duration
  }

  private func entry(of key: Key) -> Entry {
    self.entries.withLock { entries in
      if let entry = entries[key] { return entry }
      let entry = Entry(transport: UpstreamTransport(self.base))
      entries[key] = entry
      return entry
    }
  }

  private func load(_ upstream: Upstream, over transport: UpstreamTransport) async -> Result<Provider, DiscoveryError> {
    do throws(DiscoveryError) {
      let metadata = try await UpstreamDiscovery.metadata(
        of: upstream.issuer, tenants: upstream.tenants, over: transport)
      guard let jwksURI = metadata.jwksURI else { throw .missing(.jwks) }
      let cached = self.entries.withLock { $0[Key(upstream)]?.provider }
      let keys: JWKSCache
      if let cached, cached.metadata.jwksURI == jwksURI {
        keys = cached.keys
      } else {
        // If the keys cannot be fetched again, the old ones are used until they are a day old.
        keys = JWKSCache(
          url: jwksURI, transport: transport, now: self.now, retryInterval: Self.retryInterval, maximumAge: .seconds(86_400))
      }
      let provider = Provider(metadata: metadata, keys: keys, transport: transport)
      self.entries.withLock { entries in
        entries[Key(upstream)] = Entry(transport: transport, provider: provider, loadedAt: self.now())
      }
      return .success(provider)
    } catch {
      self.entries.withLock { $0[Key(upstream)]?.failedAt = self.now() }
      return .failure(error)
    }
  }
}
