package import SallyportProtocol

/// The decrypted signing keys that the server keeps at a given time.
package struct KeyRing: Sendable {
  private struct Entry: Sendable {
    let record: SigningKeyRecord
    let serializer: JWSSerializer
  }

  /// The published keys, oldest first.
  private let entries: [Entry]
  /// Keys that are no longer published. They verify only ID token hints.
  private let unpublished: [Entry]
  /// The keys of the JWK Set, oldest first.
  package let published: [PublishedKey]
  /// The JWK Set document (RFC 7517 §5).
  package let document: [UInt8]

  /// Decrypts the keys that are published at `now`, and the keys that are kept for ID token hints.
  package init(
    _ records: [SigningKeyRecord], sealer: KeySealer, lifetimes: Lifetimes = Lifetimes(), at now: Timestamp
  ) throws {
    func opened(_ records: [SigningKeyRecord]) throws -> [Entry] {
      try records.map { Entry(record: $0, serializer: try JWSSerializer(key: try sealer.open($0))) }
    }
    self.entries = try opened(records.filter { $0.isPublished(at: now, lifetimes) })
    self.unpublished = try opened(records.filter { $0.isRetained(at: now) && !$0.isPublished(at: now, lifetimes) })
    self.published = try self.entries.map {
      PublishedKey(jwk: try $0.serializer.key.publicJWK(), publishedUntil: $0.record.publishedUntil(lifetimes))
    }
    self.document = try PublishedKey.document(of: self.published, at: now)
  }

  /// Returns the newest key that signs with this algorithm at `now`, or nil if there is none.
  ///
  /// If no key is active yet, another server has created the key, for example because it withdrew the old one, and this
  /// server's clock is behind. The new key then signs at once.
  package func signer(_ algorithm: SigningKey.Algorithm, at now: Timestamp) -> JWSSerializer? {
    let entries = self.entries.filter { $0.record.algorithm == algorithm.rawValue }
    let active = entries.last { $0.record.activeAt <= now && $0.record.retiredAt.map { now < $0 } ?? true }
    return (active ?? entries.last { $0.record.retiredAt == nil })?.serializer
  }

  /// Returns the published key with this `kid`.
  package func key(id: String) -> SigningKey? {
    self.entries.first { $0.record.id == id }?.serializer.key
  }

  /// Returns the key with this `kid`, whether or not it is still published. Use it only to verify an `id_token_hint`,
  /// never an access token.
  package func hintKey(id: String) -> SigningKey? {
    self.key(id: id) ?? self.unpublished.first { $0.record.id == id }?.serializer.key
  }
}

extension SigningKeyRecord {
  /// Whether the key was withdrawn after a leak. `removedAt` and `retiredAt` are then equal. They are not compared with
  /// this server's clock, which may be behind the clock of the server that withdrew the key.
  var isWithdrawn: Bool { self.removedAt != nil && self.removedAt == self.retiredAt }

  /// Whether the server still keeps the key. A key that was withdrawn after a leak is not kept.
  func isRetained(at now: Timestamp) -> Bool { !self.isWithdrawn && self.removedAt.map { now < $0 } ?? true }

  /// Whether the key is in the JWK Set: from its creation until the tokens that it signed have expired, or until it is
  /// withdrawn after a leak.
  func isPublished(at now: Timestamp, _ lifetimes: Lifetimes) -> Bool {
    !self.isWithdrawn && self.publishedUntil(lifetimes).map { now < $0 } ?? true
  }

  /// The time at which the key leaves the JWK Set; nil as long as the key is not retired.
  func publishedUntil(_ lifetimes: Lifetimes) -> Timestamp? {
    [self.removedAt, self.retiredAt.map { $0 + lifetimes.keyPublicationTail }].compactMap { $0 }.min()
  }
}

/// Encrypts private keys for the store. Each ciphertext is bound to the key's `kid` and algorithm.
package struct KeySealer: Sendable {
  private let sealer: Sealer

  package init(_ masterKey: MasterKey) {
    self.sealer = masterKey.sealer(for: "signing keys")
  }

  /// Returns the record of a key, which contains the encrypted private key.
  /// - Parameters:
  ///   - createdAt: The time from which the key is published.
  ///   - activeAt: The time from which the key signs.
  package func record(of key: SigningKey, createdAt: Timestamp, activeAt: Timestamp) throws -> SigningKeyRecord {
    SigningKeyRecord(
      id: key.id, algorithm: key.algorithm.rawValue,
      sealedPrivateKey: try self.sealer.seal(key.der.reveal(), context: "\(key.algorithm.rawValue) \(key.id)"),
      createdAt: createdAt, activeAt: activeAt)
  }

  /// - Throws: ``KeyRingError/cannotOpen(keyID:)`` if the key was encrypted with a different master key, is damaged, or
  ///   has an unknown algorithm.
  package func open(_ record: SigningKeyRecord) throws -> SigningKey {
    guard let algorithm = SigningKey.Algorithm(rawValue: record.algorithm),
      let der = try? self.sealer.open(record.sealedPrivateKey, context: "\(record.algorithm) \(record.id)")
    else { throw KeyRingError.cannotOpen(keyID: record.id) }
    return try SigningKey(id: record.id, algorithm: algorithm, der: der)
  }
}

/// Why the signing keys cannot be used.
package enum KeyRingError: Error, Equatable, Sendable {
  /// The key was encrypted with a different master key, is damaged, or has an unknown algorithm.
  case cannotOpen(keyID: String)
  /// No key currently signs with this algorithm.
  case noActiveKey(String)
  /// A key cannot be prepared for signing.
  case unusable
  case storage(StoreError)
}
