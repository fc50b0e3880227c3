import SallyportProtocol
package import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The public keys of clients, prepared for verifying signatures. A client registers a key set, or the URL from which
/// its key set is fetched.
package actor ClientKeySets {
  /// The maximum number of values in each cache.
  private static let capacity = 1_000

  /// The key under which a ``VerificationKey`` is cached.
  private struct KeyAndAlgorithm: Hashable, Sendable {
    let key: JSONWebKey
    let algorithm: SignatureAlgorithm
  }

  /// How long to wait before fetching a key set again if no fetch has succeeded yet. Each further failure doubles the
  /// wait, up to eight times this value.
  private static let retryInterval = Duration.seconds(30)

  /// The age at which a cached key set is no longer used, even if it cannot be fetched again. It limits how long a
  /// withdrawn key is accepted.
  private static let maximumAge = Duration.seconds(86_400)

  private struct RemoteKeySet {
    let url: EndpointURL
    let cache: JWKSCache
  }

  private let transports: OutboundTransports
  /// Fetches the key sets of clients that no operator registered, within a budget.
  private let budgetedTransport: BudgetedTransport?
  private let store: any Store
  private let now: TimeSource
  /// The key sets at the `jwks_uri` of operators' clients, by URL.
  private var operatorKeySets = BoundedCache<String, RemoteKeySet>(capacity: capacity)
  /// The key sets at the `jwks_uri` of all other clients. The cache is separate, so that these clients cannot evict the
  /// key sets of operators' clients.
  private var otherKeySets = BoundedCache<String, RemoteKeySet>(capacity: capacity)
  /// The parsed form of registered key sets.
  private var inlineKeySets = BoundedCache<String, JSONWebKeySet>(capacity: capacity)
  private var preparedKeys = BoundedCache<KeyAndAlgorithm, VerificationKey>(capacity: capacity)

  /// - Parameters:
  ///   - transports: The transports that fetch key sets. Without a transport, the keys at a `jwks_uri` cannot be used.
  ///   - perMinute: The maximum number of key sets that are fetched per minute for clients that no operator registered.
  ///   - store: The store, to find out whether a client has obtained a grant.
  init(transports: OutboundTransports, perMinute: Int, store: any Store, now: @escaping TimeSource) {
    self.transports = transports
    self.budgetedTransport = transports.dynamicClients.map { BudgetedTransport($0, perMinute: perMinute, now: now) }
    self.store = store
    self.now = now
  }

  /// Returns the client's key for a JWS header.
  /// - Parameters:
  ///   - id: The `kid`; nil to consider all keys. Exactly one of the considered keys must fit the algorithm.
  ///   - algorithm: The `alg`.
  ///   - address: The address that sent the request. The server limits the fetches that one address can cause
  ///     (``FetchBudget``). Fetches for clients that an operator registered, or that have obtained a grant, do not
  ///     count.
  package func key(
    of client: ClientRecord, id: String?, algorithm: String, for address: ClientAddress
  ) async throws(JWKSError) -> VerificationKey {
    switch client.keys {
    case nil: throw .unknownKey
    case .inline(let text): return try await self.key(in: text, id: id, algorithm: algorithm)
    case .remote(let url):
      let remote = try self.remote(url, of: client)
      guard client.origin != .operator else { return try await remote.cache.key(id: id, algorithm: algorithm) }
      // If the store cannot be read, the stricter limits for a client without a grant apply.
      let hasGrant = (try? await self.store.read { (tx) throws(StoreError) in try tx.hasObtainedGrant(client) }) ?? false
      let transport = self.budgetedTransport
      return try await remote.cache.key(id: id, algorithm: algorithm) {
        transport?.reserve(remote.url, client: client.id, address: address, hasGrant: hasGrant)
      }
    }
  }

  private func key(in text: String, id: String?, algorithm name: String) async throws(JWKSError) -> VerificationKey {
    guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm }
    let wanted = KeyAndAlgorithm(key: try self.keySet(text).key(id: id, for: algorithm), algorithm: algorithm)
    if let prepared = self.preparedKeys.value(for: wanted) { return prepared }
    let prepared = try await VerificationKey(wanted.key, for: algorithm)
    self.preparedKeys.insert(prepared, for: wanted)
    return prepared
  }

  private func keySet(_ text: String) throws(JWKSError) -> JSONWebKeySet {
    if let cached = self.inlineKeySets.value(for: text) { return cached }
    guard let keys = try? JSONDecoder().decode(JSONWebKeySet.self, from: Data(text.utf8)) else { throw .document(.malformed) }
    self.inlineKeySets.insert(keys, for: text)
    return keys
  }

  private func remote(_ url: String, of client: ClientRecord) throws(JWKSError) -> RemoteKeySet {
    let isOperatorClient = client.origin == .operator
    if let cached = isOperatorClient ? self.operatorKeySets.value(for: url) : self.otherKeySets.value(for: url) { return cached }
    guard let endpoint = try? EndpointURL(url), let transport = self.transports.transport(of: client, to: endpoint) else {
      throw .document(.transport(.unreachable(reason: "the jwks_uri is invalid or not public, or there is no transport")))
    }
    let cache = JWKSCache(
      url: endpoint, transport: transport, now: self.now, retryInterval: Self.retryInterval, maximumAge: Self.maximumAge)
    let remote = RemoteKeySet(url: endpoint, cache: cache)
    if isOperatorClient { self.operatorKeySets.insert(remote, for: url) } else { self.otherKeySets.insert(remote, for: url) }
    return remote
  }
}
