import SallyportProtocol
import SallyportRemote

/// An issuer's metadata, fetched when first needed and again after an hour. If a fetch fails, the old metadata is used.
///
/// Concurrent callers share one fetch. After a failure there is a pause, because any invalid token would otherwise
/// cause a new attempt.
actor IssuerMetadata {
  private let issuer: Issuer
  private let transport: any Transport
  private let now: TimeSource
  private let pause: Duration
  private static let lifetime: Duration = .seconds(3600)

  private var fetch: Task<Result<ProviderMetadata, DiscoveryError>, Never>?
  private var known: (metadata: ProviderMetadata, at: Timestamp)?
  private var failure: (error: DiscoveryError, at: Timestamp)?

  init(issuer: Issuer, transport: any Transport, now: @escaping TimeSource, pause: Duration = .seconds(1)) {
    self.issuer = issuer
    self.transport = transport
    self.now = now
    self.pause = pause
  }

  func current() async throws(IssuerTrouble) -> ProviderMetadata {
    if let known = self.known, (.zero..<Self.lifetime).contains(self.now() - known.at) { return known.metadata }
    if let failure = self.failure, (.zero..<self.pause).contains(self.now() - failure.at) {
      if let known = self.known { return known.metadata }
      throw .metadata(failure.error)
    }
    let fetch = self.fetch ?? self.start()
    switch await fetch.value {
    case .success(let metadata): return metadata
    case .failure(let error):
      if let known = self.known { return known.metadata }
      throw .metadata(error)
    }
  }

  /// Starts a fetch. All waiting callers share it, so canceling one of them doesn't cancel it. The transport's limits
  /// end it.
  private func start() -> Task<Result<ProviderMetadata, DiscoveryError>, Never> {
    let task = Task {
      let result: Result<ProviderMetadata, DiscoveryError>
      do throws(DiscoveryError) {
        result = .success(try await Discovery(transport: self.transport).metadata(of: self.issuer))
      } catch {
        result = .failure(error)
      }
      self.finish(result)
      return result
    }
    self.fetch = task
    return task
  }

  private func finish(_ result: Result<ProviderMetadata, DiscoveryError>) {
    self.fetch = nil
    switch result {
    case .success(let metadata): self.known = (metadata, self.now())
    case .failure(let error): self.failure = (error, self.now())
    }
  }
}
