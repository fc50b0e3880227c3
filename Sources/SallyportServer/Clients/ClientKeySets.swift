import SallyportProtocol
package import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The public keys of clients, ready to check signatures with: of those that registered a key set, and of those whose key set is
/// fetched from where they registered it to be.
package actor ClientKeySets {
  /// Key sets kept; when there are more, all are forgotten.
  private static let capacity = 1_000

  private struct Slot: Hashable {
    let key: JSONWebKey
    let algorithm: SignatureAlgorithm
  }

  /// A set that was not to be had is not asked for again at once.
  private static let retryInterval = Duration.seconds(30)

  /// A key that its client has withdrawn is not good for longer, whatever keeps the new set from being fetched.
  private static let maximumAge = Duration.seconds(86_400)

  private struct Remote: Hashable {
    let url: String
    /// Strangers cannot push an operator's clients out of memory.
    let isOperators: Bool
  }

  private let transports: OutboundTransports
  /// For the key sets of clients that no operator added.
  private let budgeted: BudgetedTransport?
  private let store: any Store
  private let now: TimeSource
  private var remote: [Remote: (EndpointURL, JWKSCache)] = [:]
  private var inline: [String: JSONWebKeySet] = [:]
  private var prepared: [Slot: VerificationKey] = [:]

  /// - Parameters:
  ///   - transports: fetch key sets; where there is none, the clients that have one elsewhere have no keys.
  ///   - perMinute: how many sets of clients that registered themselves are fetched in a minute.
  ///   - store: knows which clients have obtained a grant.
  init(transports: OutboundTransports, perMinute: Int, store: any Store, now: @escaping TimeSource) {
    self.transports = transports
    self.budgeted = transports.strangers.map { BudgetedTransport($0, perMinute: perMinute, now: now) }
    self.store = store
    self.now = now
  }

  /// The client's key that a JWS header asks for.
  /// - Parameter asker: where the request comes from that needs the key, for the budget of fetches.
  package func key(
    of client: ClientRecord, id: String?, algorithm: String, for asker: ClientAddress
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
        budgeted?.reserve(endpoint, client: client.id, asker: asker, hasGrant: hasGrant)
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
      throw .document(.transport(.unreachable(reason: "not an address that is opened for this client")))
    }
    if self.remote.count >= Self.capacity { self.remote = self.remote.filter { $0.key.isOperators } }
    let cache = JWKSCache(
      url: endpoint, transport: transport, now: self.now, retryInterval: Self.retryInterval, maximumAge: Self.maximumAge)
    self.remote[slot] = (endpoint, cache)
    return (endpoint, cache)
  }
}
