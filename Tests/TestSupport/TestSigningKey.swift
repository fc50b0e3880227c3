import Crypto
package import CryptoExtras
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// A key that signs tokens: a private key, or what an attacker without a private key would use, such as the algorithm
/// `none`.
package struct TestSigningKey: Sendable {
  /// The `alg` of the header.
  package let algorithm: String
  /// The `kid` of the header.
  package var id: String?
  /// The public key as a JWK, or an empty object if the key has no public part.
  package let jwk: JSONValue
  private let signer: @Sendable ([UInt8]) throws -> [UInt8]

  package func sign(_ bytes: [UInt8]) throws -> [UInt8] { try self.signer(bytes) }

  package static func es256(id: String?) -> TestSigningKey {
    let key = P256.Signing.PrivateKey()
    let jwk = self.ellipticCurve(key.publicKey.rawRepresentation, "P-256", "ES256", id)
    return TestSigningKey(algorithm: "ES256", id: id, jwk: jwk) { Array(try key.signature(for: $0).rawRepresentation) }
  }

  package static func es384(id: String?) -> TestSigningKey {
    let key = P384.Signing.PrivateKey()
    let jwk = self.ellipticCurve(key.publicKey.rawRepresentation, "P-384", "ES384", id)
    return TestSigningKey(algorithm: "ES384", id: id, jwk: jwk) { Array(try key.signature(for: $0).rawRepresentation) }
  }

  package static func es512(id: String?) -> TestSigningKey {
    let key = P521.Signing.PrivateKey()
    let jwk = self.ellipticCurve(key.publicKey.rawRepresentation, "P-521", "ES512", id)
    return TestSigningKey(algorithm: "ES512", id: id, jwk: jwk) { Array(try key.signature(for: $0).rawRepresentation) }
  }

  package static func edDSA(id: String?) -> TestSigningKey {
    let key = Curve25519.Signing.PrivateKey()
    let x = Base64URL.encode(key.publicKey.rawRepresentation)
    let jwk = self.jwk(["kty": "OKP", "crv": "Ed25519", "x": .string(x)], "EdDSA", id)
    return TestSigningKey(algorithm: "EdDSA", id: id, jwk: jwk) { Array(try key.signature(for: $0)) }
  }

  /// Returns an `RS256` or `PS256` key. All these keys share one RSA private key, because creating one is slow.
  package static func rsa(_ algorithm: String = "RS256", id: String?) throws -> TestSigningKey {
    let key = try self.rsaKey.get()
    let numbers = try key.publicKey.getKeyPrimitives()
    let jwk = self.jwk(
      [
        "kty": "RSA", "n": .string(Base64URL.encode(numbers.modulus)), "e": .string(Base64URL.encode(numbers.publicExponent)),
      ], algorithm, id)
    let padding: _RSA.Signing.Padding = algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5
    return TestSigningKey(algorithm: algorithm, id: id, jwk: jwk) {
      Array(try key.signature(for: SHA256.hash(data: $0), padding: padding).rawRepresentation)
    }
  }

  /// Returns a key with `alg` `none` and an empty signature.
  package static func none(id: String?) -> TestSigningKey {
    TestSigningKey(algorithm: "none", id: id, jwk: [:]) { _ in [] }
  }

  /// Returns an `HS256` key, for example with the bytes of a public key, which are not secret.
  package static func hmac(secret: [UInt8], id: String?) -> TestSigningKey {
    TestSigningKey(algorithm: "HS256", id: id, jwk: [:]) {
      Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret)))
    }
  }

  /// The RSA private key of all tests.
  package static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

  private static func ellipticCurve(_ point: Data, _ curve: String, _ algorithm: String, _ id: String?) -> JSONValue {
    let (x, y) = (point.prefix(point.count / 2), point.suffix(point.count / 2))
    return self.jwk(
      ["kty": "EC", "crv": .string(curve), "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y))], algorithm, id)
  }

  private static func jwk(_ members: JSONValue, _ algorithm: String, _ id: String?) -> JSONValue {
    var jwk = members
    jwk["use"] = "sig"
    jwk["alg"] = .string(algorithm)
    jwk["kid"] = id.map { .string($0) }
    return jwk
  }
}
