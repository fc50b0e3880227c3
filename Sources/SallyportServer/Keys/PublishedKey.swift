package import SallyportProtocol

/// A key of the JWK Set.
package struct PublishedKey: Codable, Equatable, Sendable {
  package let jwk: PublicJWK
  /// The time at which the key leaves the JWK Set, or nil if this time is not known yet.
  package let publishedUntil: Timestamp?

  package init(jwk: PublicJWK, publishedUntil: Timestamp?) {
    self.jwk = jwk
    self.publishedUntil = publishedUntil
  }

  /// Whether the key is in the JWK Set at `now`.
  package func isPublished(at now: Timestamp) -> Bool { self.publishedUntil.map { now < $0 } ?? true }

  /// Returns the JWK Set document (RFC 7517 §5) with the keys that are published at `now`.
  package static func document(of keys: [PublishedKey], at now: Timestamp) throws -> [UInt8] {
    try WireJSON.encode(["keys": keys.filter { $0.isPublished(at: now) }.map(\.jwk)])
  }
}

/// A place outside the store for a copy of the published keys. A server that starts while the store is unavailable
/// publishes this copy.
package protocol PublishedKeyCopy: Sendable {
  /// Returns the keys that were saved last, or nil if there are none.
  func load() -> [PublishedKey]?
  /// Replaces the saved keys. If this fails, the server continues without a copy.
  func save(_ keys: [PublishedKey])
}
