/// The public members of a JSON Web Key (RFC 7517 §4, RFC 7518 §6). Private members are ignored.
package struct JSONWebKey: Decodable, Sendable, Hashable {
  var kty: String
  var kid: String?
  var use: String?
  var keyOperations: [String]?
  var alg: String?
  var crv: String?
  var x: String?
  var y: String?
  var n: String?
  var e: String?
  /// The issuer whose tokens the key signs, for keys that several tenants of a provider share.
  var issuer: String?

  private enum CodingKeys: String, CodingKey {
    case kty, kid, use, alg, crv, x, y, n, e, issuer
    case keyOperations = "key_ops"
  }

  /// Whether the key's own properties allow verifying signatures of the algorithm.
  func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    self.kty == algorithm.keyType
      && (self.use ?? "sig") == "sig"
      && (self.keyOperations?.contains("verify") ?? true)
      && (self.alg ?? algorithm.rawValue) == algorithm.rawValue
      && (algorithm.curve == nil || self.crv == algorithm.curve?.name)
  }
}

/// A JWK Set (RFC 7517 §5). Elements that cannot be decoded as keys are ignored, as the RFC recommends.
package struct JSONWebKeySet: Decodable, Sendable {
  package let keys: [JSONWebKey]

  private enum CodingKeys: String, CodingKey {
    case keys
  }

  private struct Entry: Decodable {
    let key: JSONWebKey?

    init(from decoder: any Decoder) throws {
      self.key = try? JSONWebKey(from: decoder)
    }
  }

  package init(keys: [JSONWebKey]) {
    self.keys = keys
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.keys = try container.decode([Entry].self, forKey: .keys).compactMap(\.key)
  }

  /// Finds the key for a token's header.
  /// - Parameters:
  ///   - id: The `kid`, or `nil` to consider all keys. Exactly one of the considered keys must fit the algorithm.
  ///   - algorithm: The `alg`.
  /// - Throws: ``JWKSError/unknownKey``, ``JWKSError/unsuitableKey``, or ``JWKSError/ambiguousKey``
  package func key(id: String?, for algorithm: SignatureAlgorithm) throws(JWKSError) -> JSONWebKey {
    let candidates = id.map { id in self.keys.filter { $0.kid?.utf8.elementsEqual(id.utf8) ?? false } } ?? self.keys
    let fitting = candidates.filter { $0.fits(algorithm) }
    switch fitting.count {
    case 1: return fitting[0]
    case 0: throw id == nil || candidates.isEmpty ? .unknownKey : .unsuitableKey
    default: throw .ambiguousKey
    }
  }
}
