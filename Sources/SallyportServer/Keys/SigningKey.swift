import Crypto
import CryptoExtras
package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A private key that signs the server's tokens.
package struct SigningKey: Sendable {
  /// The supported algorithms. RS256 is required by OpenID Connect Core §15.1.
  package enum Algorithm: String, Sendable, CaseIterable {
    case es256 = "ES256", rs256 = "RS256"

    package init(_ algorithm: AccessTokenAlgorithm) {
      self =
        switch algorithm {
        case .es256: .es256
        case .rs256: .rs256
        }
    }
  }

  private enum Private: Sendable {
    case es256(P256.Signing.PrivateKey)
    case rs256(_RSA.Signing.PrivateKey)
  }

  package let id: String
  private let key: Private

  package var algorithm: Algorithm {
    switch self.key {
    case .es256: .es256
    case .rs256: .rs256
    }
  }

  /// Returns a new key with a random identifier.
  package static func generate(_ algorithm: Algorithm) throws -> SigningKey {
    let id = RandomText.base64URL(bits: 96)
    switch algorithm {
    case .es256: return SigningKey(id: id, key: .es256(P256.Signing.PrivateKey()))
    case .rs256: return SigningKey(id: id, key: .rs256(try _RSA.Signing.PrivateKey(keySize: .bits2048)))
    }
  }

  private init(id: String, key: Private) {
    self.id = id
    self.key = key
  }

  /// Creates a key from its DER representation.
  package init(id: String, algorithm: Algorithm, der: [UInt8]) throws {
    self.id = id
    switch algorithm {
    case .es256: self.key = .es256(try P256.Signing.PrivateKey(derRepresentation: der))
    case .rs256: self.key = .rs256(try _RSA.Signing.PrivateKey(derRepresentation: der))
    }
  }

  /// The DER representation of the private key.
  package var der: Secret<[UInt8]> {
    switch self.key {
    case .es256(let key): Secret(Array(key.derRepresentation))
    case .rs256(let key): Secret(Array(key.derRepresentation))
    }
  }

  /// Returns the JWS signature of `bytes` (RFC 7518 §3.3 and §3.4). RS256 requires the padding of PKCS #1 v1.5, which
  /// swift-crypto calls insecure.
  package func signature(for bytes: [UInt8]) throws -> [UInt8] {
    switch self.key {
    case .es256(let key): try Array(key.signature(for: SHA256.digest(of: bytes)).rawRepresentation)
    case .rs256(let key): try Array(key.signature(for: bytes, padding: .insecurePKCS1v1_5).rawRepresentation)
    }
  }

  /// Whether `signature` is a valid signature of `bytes` by this key.
  package func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
    switch self.key {
    case .es256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.publicKey.isValidSignature(signature, for: bytes)
    case .rs256(let key):
      return key.publicKey.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: bytes, padding: .insecurePKCS1v1_5)
    }
  }

  /// Returns the public key as a JWK.
  package func publicJWK() throws -> PublicJWK {
    switch self.key {
    case .es256(let key):
      let point = key.publicKey.rawRepresentation
      return PublicJWK(
        kty: "EC", alg: self.algorithm.rawValue, kid: self.id, crv: "P-256", x: Base64URL.encode(point.prefix(32)),
        y: Base64URL.encode(point.suffix(32)))
    case .rs256(let key):
      let primitives = try key.publicKey.getKeyPrimitives()
      return PublicJWK(
        kty: "RSA", alg: self.algorithm.rawValue, kid: self.id, n: Base64URL.encode(primitives.modulus),
        e: Base64URL.encode(primitives.publicExponent))
    }
  }
}

/// A public signing key (RFC 7517 §4, RFC 7518 §6).
package struct PublicJWK: Codable, Equatable, Sendable {
  package var kty: String
  package var use = "sig"
  package var alg: String
  package var kid: String
  package var crv: String?
  package var x: String?
  package var y: String?
  package var n: String?
  package var e: String?
}
