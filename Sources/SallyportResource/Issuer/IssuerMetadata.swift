import SallyportProtocol
import SallyportRemote

/// An issuer's metadata, fetched when it is needed and missing or older than an hour. If the fetch fails or is slow,
/// the old metadata is used.
///
/// Concurrent callers share one fetch. After a failed fetch, the next fetch must wait. Otherwise, every request to the
/// API would cause a fetch while the issuer cannot be reached, even a request with a forged token.
actor IssuerMetadata {
  private let issuer: Issuer
  private let transport: any Transport
  private let now: TimeSource
  private static let lifetime: Duration = .seconds(3600)
  /// The time between a failed fetch and the next one, if there is no old metadata.
  private static let pause: Duration = .seconds(1)
  /// The time between a failed fetch and the next one, if there is old metadata.
  private static let pauseWithMetadata: Duration = .seconds(30)
  /// How long after a failed fetch callers with old metadata do not wait for the next fetches.
  private static let outage: Duration = .seconds(300)

  private let fetches = SingleFlight<Issuer, Result<IssuerEndpoints, DiscoveryError>>()
  private var cachedMetadata: (metadata: IssuerEndpoints, at: Timestamp)?
  private var failure: (error: DiscoveryError, at: Timestamp)?

  init(issuer: Issuer, transport: any Transport, now: @escaping TimeSource) {
    self.issuer = issuer
    self.transport = transport
    self.now = now
  }

  func current() async throws(IssuerError) -> IssuerEndpoints {
    guard let cached = self.cachedMetadata else {
      if let failure = self.failure, self.isWithin(Self.pause, since: failure.at) { throw .metadata(failure.error) }
      do {
        return try await self.fetch().value.get()
      } catch {
        throw .metadata(error)
      }
    }
    // If the clock was set back, the age is negative, and the metadata is fetched again.
    if self.isWithin(Self.lifetime, since: cached.at) { return cached.metadata }
    if let failure = self.failure, self.isWithin(Self.pauseWithMetadata, since: failure.at) { return cached.metadata }
    let isOutage = self.failure.map { self.isWithin(Self.outage, since: $0.at) } ?? false
    let fetch = self.fetch()
    if isOutage { return cached.metadata }
    guard let result = await fetch.value(within: IssuerAccess.patience) else {
      // Later callers don't wait for this fetch, unless it may be fast and only this caller was canceled.
      if !Task.isCancelled { self.failure = (.document(.transport(.timedOut)), self.now()) }
      return cached.metadata
    }
    return (try? result.get()) ?? cached.metadata
  }

  private func isWithin(_ duration: Duration, since time: Timestamp) -> Bool {
    (.zero..<duration).contains(self.now() - time)
  }

  /// Joins the fetch in progress, or starts one.
  private func fetch() -> Task<Result<IssuerEndpoints, DiscoveryError>, Never> {
    self.fetches.start(self.issuer) { await self.load() }
  }

  /// Fetches the metadata. The transport's timeout limits the duration.
  private func load() async -> Result<IssuerEndpoints, DiscoveryError> {
    do throws(DiscoveryError) {
      let metadata = try await Discovery(transport: self.transport).endpoints(of: self.issuer)
      self.cachedMetadata = (metadata, self.now())
      self.failure = nil
      return .success(metadata)
    } catch {
      self.failure = (error, self.now())
      return .failure(error)
    }
  }
}
