#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// An issuer's public keys. They are fetched when first needed, when they are needed and older than `lifetime`, and
/// when no key fits a token.
///
/// A new `kid` indicates that the issuer has rotated its keys (OpenID Connect Core §10.1.1). Forged tokens can name any
/// key, so there is a minimum interval between fetches. Concurrent callers share one fetch. If a fetch fails, the
/// existing keys are used until they are older than `maximumAge`.
package actor JWKSCache {
  private let url: EndpointURL
  private let transport: any Transport
  private let now: TimeSource
  private let refetchInterval: Duration
  private let lifetime: Duration
  private let retryInterval: Duration
  private let maximumAge: Duration?
  private let patience: Duration?

  /// How long after a failed fetch callers do not wait for the next fetches, if they have a `patience`.
  private static let outage: Duration = .seconds(300)

  private var keys: JSONWebKeySet?
  private var prepared: [KeyAndAlgorithm: VerificationKey] = [:]
  private var loadedAt: Timestamp?
  private var triedAt: Timestamp?
  private var failure: JSONDocumentError?
  private var failures = 0
  /// When the last fetch failed or took longer than `patience`, or `nil` if it succeeded.
  private var failedAt: Timestamp?
  private let fetches = SingleFlight<EndpointURL, Result<JSONWebKeySet, JSONDocumentError>>()

  private struct KeyAndAlgorithm: Hashable {
    var key: JSONWebKey
    var algorithm: SignatureAlgorithm
  }

  /// - Parameters:
  ///   - url: The issuer's `jwks_uri`.
  ///   - refetchInterval: The minimum time between two fetches of a key set that is already loaded.
  ///   - lifetime: The age at which the key set is fetched again before it is used, so that withdrawn keys are removed.
  ///     If the fetch fails, the old key set is used.
  ///   - retryInterval: The minimum time between two fetches while none has succeeded. It doubles with each
  ///     further failure, up to eight times this value.
  ///   - maximumAge: The age at which the old key set is no longer used, even if no new key set can be fetched. `nil`
  ///     means no limit.
  ///   - patience: How long a caller waits for the fetch that replaces an old key set, before it uses the old key set.
  ///     If such a fetch has recently failed or taken longer, callers do not wait. `nil` means that callers wait until
  ///     the fetch ends. A caller that needs a key that is not in the old key set always waits until the fetch ends.
  package init(
    url: EndpointURL, transport: any Transport, now: @escaping TimeSource = Timestamp.now,
    refetchInterval: Duration = .seconds(30), lifetime: Duration = .seconds(3600),
    retryInterval: Duration = .zero, maximumAge: Duration? = nil, patience: Duration? = nil
  ) {
    self.url = url
    self.transport = transport
    self.now = now
    self.refetchInterval = refetchInterval
    self.lifetime = lifetime
    self.retryInterval = retryInterval
    self.maximumAge = maximumAge
    self.patience = patience
  }

  /// Returns the key that a token's header names.
  /// - Parameters:
  ///   - id: The `kid`, or `nil` to consider all keys. Exactly one of the considered keys must fit the algorithm.
  ///   - algorithm: The `alg`.
  /// - Throws: ``JWKSError``
  package func key(id: String?, algorithm: String) async throws(JWKSError) -> VerificationKey {
    try await self.key(id: id, algorithm: algorithm) { self.transport }
  }

  /// Returns the key that a token's header names, for a caller whose fetches are limited.
  /// - Parameters:
  ///   - id: The `kid`, or `nil` to consider all keys. Exactly one of the considered keys must fit the algorithm.
  ///   - algorithm: The `alg`.
  ///   - reserve: Returns the transport for one fetch, or `nil` if the caller may not start one now. A result of `nil`
  ///     does not count as a failed fetch.
  /// - Throws: ``JWKSError``
  package func key(
    id: String?, algorithm: String, over reserve: @Sendable () -> (any Transport)?
  ) async throws(JWKSError) -> VerificationKey {
    guard let algorithm = SignatureAlgorithm(rawValue: algorithm) else { throw .unsupportedAlgorithm }
    var keys = try await self.currentKeys(reserve)
    let key: JSONWebKey
    do {
      key = try keys.key(id: id, for: algorithm)
    } catch {
      // If several keys fit, another fetch would not help.
      guard error != .ambiguousKey else { throw error }
      // If the last fetch failed, the key may be in the key set that could not be fetched.
      guard self.mayRefetch else { throw self.failure.map { .document($0) } ?? error }
      keys = try await self.refetch(reserve)
      key = try keys.key(id: id, for: algorithm)
    }
    return try await self.prepare(KeyAndAlgorithm(key: key, algorithm: algorithm))
  }

  private func currentKeys(_ reserve: @Sendable () -> (any Transport)?) async throws(JWKSError) -> JSONWebKeySet {
    guard let keys = self.keys else {
      if let failure, !self.isFetching, !self.isPast(self.currentRetryInterval, since: self.triedAt) { throw .document(failure) }
      return try await self.refetch(reserve)
    }
    guard self.isPast(self.lifetime, since: self.loadedAt) else { return keys }
    let isTooOld = self.maximumAge.map { self.isPast($0, since: self.loadedAt) } ?? false
    guard self.mayRefetch else {
      // `failure` is nil only if `maximumAge` is shorter than `refetchInterval`.
      if isTooOld { throw .document(self.failure ?? .malformed) }
      return keys
    }
    do {
      let fetch = try self.fetch(reserve)
      guard let patience = self.patience, !isTooOld else { return try await Self.keys(of: fetch) }
      guard self.isPast(Self.outage, since: self.failedAt) else { return keys }
      guard let result = await fetch.value(within: patience) else {
        // A canceled caller says nothing about the server.
        if !Task.isCancelled { self.failedAt = self.now() }
        return keys
      }
      return (try? result.get()) ?? keys
    } catch {
      if isTooOld { throw error }
      return keys
    }
  }

  private var currentRetryInterval: Duration { self.retryInterval * (1 << min(max(self.failures - 1, 0), 3)) }

  private var isFetching: Bool { self.fetches.task(for: self.url) != nil }
  private var mayRefetch: Bool { self.isFetching || self.isPast(self.refetchInterval, since: self.triedAt) }

  /// Whether the duration has passed. If the clock was set back, the duration counts as passed, so that old keys don't
  /// remain in use forever.
  private func isPast(_ duration: Duration, since start: Timestamp?) -> Bool {
    guard let start else { return true }
    let age = self.now() - start
    return age < .zero || age >= duration
  }

  private typealias Fetch = Task<Result<JSONWebKeySet, JSONDocumentError>, Never>

  /// Joins the fetch in progress, or starts one, and waits until it ends.
  private func refetch(_ reserve: @Sendable () -> (any Transport)?) async throws(JWKSError) -> JSONWebKeySet {
    try await Self.keys(of: try self.fetch(reserve))
  }

  /// Joins the fetch in progress, or starts one. The timeout of ``TransferLimits/document`` limits its duration.
  private func fetch(_ reserve: @Sendable () -> (any Transport)?) throws(JWKSError) -> Fetch {
    if let running = self.fetches.task(for: self.url) { return running }
    guard let transport = reserve() else { throw .document(.transport(.unreachable(reason: "too many fetches"))) }
    self.triedAt = self.now()
    return self.fetches.start(self.url) { await self.load(over: transport) }
  }

  private static func keys(of fetch: Fetch) async throws(JWKSError) -> JSONWebKeySet {
    switch await fetch.value {
    case .success(let keys): return keys
    case .failure(let error): throw .document(error)
    }
  }

  private func load(over transport: any Transport) async -> Result<JSONWebKeySet, JSONDocumentError> {
    do throws(JSONDocumentError) {
      let body = try await JSONDocument.fetch(self.url, over: transport)
      guard let keys = try? JSONDecoder().decode(JSONWebKeySet.self, from: Data(body)) else { throw .malformed }
      self.keys = keys
      self.loadedAt = self.now()
      self.failure = nil
      self.failures = 0
      self.failedAt = nil
      self.prepared = [:]
      return .success(keys)
    } catch {
      self.failure = error
      self.failures += 1
      self.failedAt = self.now()
      return .failure(error)
    }
  }

  private func prepare(_ pair: KeyAndAlgorithm) async throws(JWKSError) -> VerificationKey {
    if let key = self.prepared[pair] { return key }
    let key = try await VerificationKey(pair.key, for: pair.algorithm)
    self.prepared[pair] = key
    return key
  }
}
