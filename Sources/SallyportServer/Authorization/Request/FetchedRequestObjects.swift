import SallyportProtocol
import SallyportRemote

/// A short-term cache of request objects that were fetched from a registered `request_uri` (OpenID Connect Core §6.2).
///
/// Anyone can send users to the server with a client's `request_uri`, so one fetch serves all requests that arrive
/// while it runs and shortly after. Failures are cached too. Otherwise, requests with an unreachable URL could exhaust
/// the budget for fetches.
actor FetchedRequestObjects {
  private static let lifetime = Duration.seconds(30)
  private static let lifetimeOfFailure = Duration.seconds(15)

  /// A `request_uri` of a client.
  struct Source: Hashable {
    let client: ClientID
    let uri: String
    let isOperatorClient: Bool
  }

  enum Outcome: Sendable {
    /// The response body; nil if the request object could not be fetched.
    case fetched([UInt8]?)
    /// The quota or the fetch budget is used up. This outcome is not cached, because it does not depend on the URL.
    case overQuota
  }

  private struct CachedBody {
    let body: [UInt8]?
    let fetchedAt: Timestamp

    /// Whether the body can be used. After the clock was set back, the age can be negative; the body is then not used.
    func isFresh(at now: Timestamp) -> Bool {
      (.zero..<(self.body == nil ? lifetimeOfFailure : lifetime)).contains(now - self.fetchedAt)
    }
  }

  private let now: TimeSource
  private let fetches = SingleFlight<Source, Outcome>()
  /// The bodies for operators' clients. A body has at most 32 KiB, so each cache needs at most about 7 MB.
  private var operatorBodies = BoundedCache<Source, CachedBody>(capacity: 200)
  /// For all other clients. The cache is separate, so that these clients cannot evict the entries of operators'
  /// clients.
  private var otherBodies = BoundedCache<Source, CachedBody>(capacity: 200)

  init(now: @escaping TimeSource) {
    self.now = now
  }

  /// Returns the cached body, waits for the current fetch, or starts one with `fetch`.
  /// - Returns: Nil if the request object could not be fetched, or the quota or the fetch budget is used up.
  func body(from source: Source, fetch: @escaping @Sendable () async -> Outcome) async -> [UInt8]? {
    // If the request that started a fetch was over its quota, nothing was fetched. This request then starts a fetch
    // with its own quota.
    while let task = self.fetches.task(for: source) {
      if case .fetched(let body) = await task.value { return body }
    }
    let cached = source.isOperatorClient ? self.operatorBodies.value(for: source) : self.otherBodies.value(for: source)
    if let cached, cached.isFresh(at: self.now()) { return cached.body }
    let task = self.fetches.start(source) {
      let outcome = await fetch()
      await self.store(outcome, for: source)
      return outcome
    }
    guard case .fetched(let body) = await task.value else { return nil }
    return body
  }

  private func store(_ outcome: Outcome, for source: Source) {
    guard case .fetched(let body) = outcome else { return }
    let entry = CachedBody(body: body, fetchedAt: self.now())
    if source.isOperatorClient {
      self.operatorBodies.insert(entry, for: source)
    } else {
      self.otherBodies.insert(entry, for: source)
    }
  }
}
