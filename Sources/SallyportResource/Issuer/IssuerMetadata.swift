import SallyportProtocol
import SallyportRemote

/// An issuer's metadata, fetched when it is needed and missing or older than an hour. If a fetch fails, the old
/// metadata is used.
///
/// Concurrent callers share one fetch. After a failed fetch, the next fetch must wait for the duration of `pause`.
/// Otherwise, every request to the API would cause a fetch while the issuer cannot be reached, even a request with a
/// forged token.
actor IssuerMetadata {
  private let issuer: Issuer
  private let transport: any Transport
  private let now: TimeSource
  private let pause: Duration
  private static let lifetime: Duration = .seconds(3600)

  private let fetches = SingleFlight<Issuer, Result<ProviderMetadata, DiscoveryError>>()
  private var cachedMetadata: (metadata: ProviderMetadata, at: Timestamp)?
  private var failure: (error: DiscoveryError, at: Timestamp)?

  init(issuer: Issuer, transport: any Transport, now: @escaping TimeSource, pause: Duration = .seconds(1)) {
    self.issuer = issuer
    self.transport = transport
    self.now = now
    self.pause = pause
  }

  func current() async throws(IssuerError) -> ProviderMetadata {
    // If the clock was set back, the age is negative, and the metadata is fetched again.
    if let cached = self.cachedMetadata, (.zero..<Self.lifetime).contains(self.now() - cached.at) { return cached.metadata }
    if let failure = self.failure, (.zero..<self.pause).contains(self.now() - failure.at) {
      if let cached = self.cachedMetadata { return cached.metadata }
      throw .metadata(failure.error)
    }
    switch await self.fetches.start(self.issuer, { await self.load() }).value {
    case .success(let metadata): return metadata
    case .failure(let error):
      if let cached = self.cachedMetadata { return cached.metadata }
      throw .metadata(error)
    }
  }

  /// Fetches the metadata. The transport's timeout limits the duration.
  private func load() async -> Result<ProviderMetadata, DiscoveryError> {
    do throws(DiscoveryError) {
      let metadata = try await Discovery(transport: self.transport).metadata(of: self.issuer)
      self.cachedMetadata = (metadata, self.now())
      return .success(metadata)
    } catch {
      self.failure = (error, self.now())
      return .failure(error)
    }
  }
}
