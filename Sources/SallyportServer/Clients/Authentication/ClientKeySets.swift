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
  /// The maximum number of cached keys and key sets. At the maximum, a cache is cleared, except for operators' remote
  /// key sets.
  private static let capacity = 1_000

  private struct Slot: Hashable {
    let key: JSONWebKey
    let algorithm: SignatureAlgorithm
  }

  /// How long to wait before fetching a key set again after a failure.
  private static let retryInterval = Duration.seconds(30)

  /// The maximum age of a cached key set, even if it cannot be fetched again. It limits how long a withdrawn key is
  /// accepted.
  private static let maximumAge = Duration.seconds(86_400)

  private struct Remote: Hashable {
    let url: String
    /// Distinguishes the entries of operators' clients, which dynamic clients must not evict.
    let isOperators: Bool
  }

  private let transports: OutboundTransports
  /// For the key sets of clients that no operator registered.
  private let budgeted: BudgetedTransport?
  private let store: any Store
  private let now: TimeSource
  private var remote: [Remote: (EndpointURL, JWKSCache)] = [:]
  private var inline: [String: JSONWebKeySet] = [:]
  private var prepared: [Slot: VerificationKey] = [:]

  /// - Parameters:
  ///   - transports: The transports that fetch key sets. Without one, clients with a `jwks_uri` cannot be authenticated
  ///     by a key.
  ///   - perMinute: The maximum number of key sets of dynamic clients that are fetched per minute.
  ///   - store: The store, to find out whether a dynamic client has obtained a grant.
  init(transports: OutboundTransports, perMinute: Int, store: any Store, now: @escaping TimeSource) {
    self.transports = transports
    self.budgeted = transports.dynamicClients.map { BudgetedTransport($0, perMinute: perMinute, now: now) }
    self.store = store
    self.now = now
  }

  /// Returns the client's key for a JWS header.
  /// - Parameter address: The client address of the request that needs the key, for the budget of fetches.
  package func key(
    of client: ClientRecord, id: String?, algorithm: String, for address: ClientAddress
  ) async throws(JWKSError) -> VerificationKey {
    switch client.keys {
    case nil: throw .unknownKey
    case .inline(let text): return try await self.key(in: text, id: id, algorithm: algorithm)
    case .remote(let url):
      let (endpoint, cache) = try self.cache(of: url, client)
      guard client.origin != .operator else { return try await cache.key(id: id, algorithm: algorithm) }
      let hasGrant = (try? await self.store.read { (tx) throws(StoreError) in try tx.hasObtainedGrant(client) }) ?? false
      let budgeted = self.budgeted
      return try await cache.key(id: id, algorithm: algorithm) {
        budgeted?.reserve(endpoint, client: client.id, address: address, hasGrant: hasGrant)
      }
    }
  }

  private func key(in text: String, id: String?, algorithm name: String) async throws(JWKSError) -> VerificationKey {
    guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm }
    let slot = Slot(key: try self.keySet(text).key(id: id, for: algorithm), algorithm: algorithm)
    if let key = self.prepared[slot] { return key }
    let key = try await VerificationKey(slot.key, for: algorithm)
    if self.prepared.count >= Self.capacity { self.prepared = [:] }
    self.prepared[slot] = key
    return key
  }

  private func keySet(_ text: String) throws(JWKSError) -> JSONWebKeySet {
    if let known = self.inline[text] { return known }
    guard let keys = try? JSONDecoder().decode(JSONWebKeySet.self, from: Data(text.utf8)) else { throw .document(.malformed) }
    if self.inline.count >= Self.capacity { self.inline = [:] }
    self.inline[text] = keys
    return keys
  }

  private func cache(of url: String, _ client: ClientRecord) throws(JWKSError) -> (EndpointURL, JWKSCache) {
    let slot = Remote(url: url, isOperators: client.origin == .operator)
    if let known = self.remote[slot] { return known }
    guard let endpoint = try? EndpointURL(url), let transport = self.transports.transport(of: client, to: endpoint) else {
      throw .document(.transport(.unreachable(reason: "the jwks_uri must not be fetched for this client")))
    }
    if self.remote.count >= Self.capacity { self.remote = self.remote.filter { $0.key.isOperators } }
    let cache = JWKSCache(
      url: endpoint, transport: transport, now: self.now, retryInterval: Self.retryInterval, maximumAge: Self.maximumAge)
    self.remote[slot] = (endpoint, cache)
    return (endpoint, cache)
  }
}
