package import SallyportProtocol
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

  private let transport: (any Transport)?
  private let now: TimeSource
  private var remote: [String: JWKSCache] = [:]
  private var inline: [String: JSONWebKeySet] = [:]
  private var prepared: [Slot: VerificationKey] = [:]

  /// - Parameter transport: fetches key sets; nil refuses the clients that have one elsewhere.
  package init(transport: (any Transport)?, now: @escaping TimeSource) {
    self.transport = transport
    self.now = now
  }

  /// The client's key that a JWS header asks for.
  package func key(of client: ClientRecord, id: String?, algorithm: String) async throws(JWKSError) -> VerificationKey {
    switch client.keys {
    case nil: throw .unknownKey
    case .inline(let text): return try await self.key(in: text, id: id, algorithm: algorithm)
    case .remote(let url):
      // Nobody who registered itself names an address that this server then opens.
      guard client.origin == .operator else { throw .document(.malformed) }
      return try await self.cache(of: url).key(id: id, algorithm: algorithm)
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

  private func cache(of url: String) throws(JWKSError) -> JWKSCache {
    if let known = self.remote[url] { return known }
    guard let transport, let endpoint = try? EndpointURL(url) else { throw .document(.malformed) }
    if self.remote.count >= Self.capacity { self.remote = [:] }
    let cache = JWKSCache(url: endpoint, transport: transport, now: self.now)
    self.remote[url] = cache
    return cache
  }
}
