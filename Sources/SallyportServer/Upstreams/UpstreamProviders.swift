import SallyportProtocol
import SallyportRemote
import Synchronization

/// The metadata and the keys of upstreams. They are cached, and fetched by at most one request at a time.
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
  /// How long requests fail at once after the metadata could not be fetched.
  static let retryInterval = Duration.seconds(10)

  private let base: any Transport
  private let now: TimeSource
  private let entries = Mutex<[String: Entry]>([:])
  private let fetches = SingleFlight<String, Result<Provider, DiscoveryError>>()

  /// - Parameter transport: Sends the requests. It may reach the operator's own network, because operators choose the
  ///   upstreams.
  init(transport: any Transport, now: @escaping TimeSource) {
    self.base = transport
    self.now = now
  }

  /// Returns the provider with this issuer.
  func provider(of issuer: Issuer) async throws(UpstreamFailure) -> Provider {
    let now = self.now()
    let entry = self.entry(of: issuer)
    if let provider = entry.provider, let loadedAt = entry.loadedAt, Self.isRecent(loadedAt, Self.lifetime, at: now) {
      return provider
    }
    if let failedAt = entry.failedAt, Self.isRecent(failedAt, Self.retryInterval, at: now) {
      guard let provider = entry.provider else { throw .unavailable }
      return provider
    }
    let result = await self.fetches.start(issuer.value) { await self.load(issuer, over: entry.transport) }.value
    switch result {
    case .success(let provider): return provider
    case .failure:
      guard let provider = entry.provider else { throw .unavailable }
      return provider
    }
  }

  private static func isRecent(_ time: Timestamp, _ duration: Duration, at now: Timestamp) -> Bool {
    time <= now && now - time < duration
  }

  private func entry(of issuer: Issuer) -> Entry {
    self.entries.withLock { entries in
      if let entry = entries[issuer.value] { return entry }
      let entry = Entry(transport: UpstreamTransport(self.base))
      entries[issuer.value] = entry
      return entry
    }
  }

  private func load(_ issuer: Issuer, over transport: UpstreamTransport) async -> Result<Provider, DiscoveryError> {
    do throws(DiscoveryError) {
      let metadata = try await UpstreamDiscovery.metadata(of: issuer, over: transport)
      guard let jwksURI = metadata.jwksURI else { throw .missing(.jwks) }
      let keys = JWKSCache(
        url: jwksURI, transport: transport, now: self.now, retryInterval: Self.retryInterval, maximumAge: .seconds(86_400))
      let provider = Provider(metadata: metadata, keys: keys, transport: transport)
      self.entries.withLock { entries in
        entries[issuer.value] = Entry(transport: transport, provider: provider, loadedAt: self.now())
      }
      return .success(provider)
    } catch {
      self.entries.withLock { $0[issuer.value]?.failedAt = self.now() }
      return .failure(error)
    }
  }
}
