package import SallyportProtocol

/// The signing keys of one moment, opened and ready.
package struct KeyRing: Sendable {
  private struct Entry: Sendable {
    let record: SigningKeyRecord
    let serializer: JWSSerializer
  }

  private let entries: [Entry]
  /// The JWKS document, RFC 7517 §5.
  package let document: [UInt8]

  /// Opens the keys that are still published at `now`.
  package init(_ records: [SigningKeyRecord], sealer: KeySealer, at now: Timestamp) throws {
    self.entries = try records.filter { $0.removedAt.map { now < $0 } ?? true }.map { record in
      Entry(record: record, serializer: try JWSSerializer(key: try sealer.open(record)))
    }
    let published = try self.entries.map { try $0.serializer.key.publicJWK() }
    self.document = try WireJSON.encode(["keys": published])
  }

  /// The newest key that signs with this algorithm at `now`.
  package func signer(_ algorithm: SigningKey.Algorithm, at now: Timestamp) -> JWSSerializer? {
    self.entries.last { entry in
      entry.record.algorithm == algorithm.rawValue && entry.record.activeAt <= now
        && entry.record.retiredAt.map { now < $0 } ?? true
    }?.serializer
  }

  /// The published key with this `kid`.
  package func key(id: String) -> SigningKey? {
    self.entries.first { $0.record.id == id }?.serializer.key
  }
}

/// Seals private keys for the store, each bound to its `kid` and algorithm.
package struct KeySealer: Sendable {
  private let sealer: Sealer

  package init(_ masterKey: MasterKey) {
    self.sealer = Sealer(key: masterKey.key(for: "signing keys"))
  }

  package func record(of key: SigningKey, created: Timestamp, active: Timestamp) throws -> SigningKeyRecord {
    SigningKeyRecord(
      id: key.id, algorithm: key.algorithm.rawValue,
      sealedPrivateKey: try self.sealer.seal(key.der.reveal(), context: "\(key.algorithm.rawValue) \(key.id)"),
      createdAt: created, activeAt: active)
  }

  /// - Throws: ``KeyRingError`` for a key that was sealed under another master key.
  package func open(_ record: SigningKeyRecord) throws -> SigningKey {
    guard let algorithm = SigningKey.Algorithm(rawValue: record.algorithm),
      let der = try? self.sealer.open(record.sealedPrivateKey, context: "\(record.algorithm) \(record.id)")
    else { throw KeyRingError.cannotOpen(keyID: record.id) }
    return try SigningKey(id: record.id, algorithm: algorithm, der: der)
  }
}

package enum KeyRingError: Error, Equatable, Sendable {
  /// The key file is not the one under which this key was stored.
  case cannotOpen(keyID: String)
  case noActiveKey(String)
}
