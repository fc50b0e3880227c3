import JWTKit
import SallyportProtocol

/// A public key for one signature algorithm.
package struct VerificationKey: Sendable {
  /// The `kid`.
  package let id: String?
  /// The algorithm's name in a JWS header.
  package let algorithm: String
  /// The issuer whose tokens the key signs, if several tenants of a provider share the key set. The member `issuer` of
  /// a key is not part of RFC 7517.
  let issuer: String?
  private let verifier: any JWTAlgorithm

  /// Creates a verification key from a JSON Web Key that was chosen for an algorithm.
  ///
  /// Each key gets its own JWTKit collection, because a collection returns its default key for an unknown identifier.
  package init(_ key: JSONWebKey, for algorithm: SignatureAlgorithm) async throws(JWKSError) {
    guard key.fits(algorithm) else { throw .unsuitableKey }
    let identifier = JWKIdentifier(string: "only")
    let jwk = try Self.jwk(key, for: algorithm, identifier: identifier)
    do {
      self.verifier = try await JWTKeyCollection().add(jwk: jwk).getKey(for: identifier, alg: algorithm.rawValue)
    } catch {
      throw .invalidKey
    }
    guard self.verifier.name == algorithm.rawValue else { throw .invalidKey }
    self.id = key.kid
    self.issuer = key.issuer
    self.algorithm = algorithm.rawValue
  }

  /// Whether the signature over the bytes was made with this key.
  package func isValid(signature: [UInt8], of bytes: [UInt8]) -> Bool {
    // The verifier throws for a signature of the wrong length, which is invalid too.
    (try? self.verifier.verify(signature, signs: bytes)) ?? false
  }

  /// Converts the key for JWTKit. The members `x`, `y`, `n`, and `e` are checked first, because JWTKit's base64 decoder
  /// accepts malformed input.
  private static func jwk(
    _ key: JSONWebKey, for algorithm: SignatureAlgorithm, identifier: JWKIdentifier
  ) throws(JWKSError) -> JWK {
    guard let name = JWK.Algorithm(rawValue: algorithm.rawValue) else { throw .unsupportedAlgorithm }
    switch (algorithm, algorithm.curve) {
    case (.edDSA, let curve?):
      guard self.bytes(key.x)?.count == curve.length else { throw .invalidKey }
      return .octetKeyPair(name, identifier: identifier, x: key.x, y: nil, curve: .ed25519)
    case (_, let curve?):
      guard let x = self.coordinate(key.x, length: curve.length), let y = self.coordinate(key.y, length: curve.length) else {
        throw .invalidKey
      }
      return .ecdsa(name, identifier: identifier, x: x, y: y, curve: ECDSACurve(rawValue: curve.name))
    case (_, nil):
      guard let modulus = self.modulus(key.n), let exponent = self.bytes(key.e),
        (try? RSAKeyRules.check(modulus: modulus, exponent: exponent)) != nil
      else { throw .invalidKey }
      return .rsa(name, identifier: identifier, modulus: Base64URL.encode(modulus), exponent: key.e)
    }
  }

  /// Returns a coordinate with its full length (RFC 7518 §6.2.1.2). Some providers, such as glewlwyd, omit leading
  /// zeros, which affects about one P-256 key in 128.
  private static func coordinate(_ text: String?, length: Int) -> String? {
    guard let bytes = self.bytes(text), !bytes.isEmpty, bytes.count <= length else { return nil }
    return Base64URL.encode(Array(repeating: 0, count: length - bytes.count) + bytes)
  }

  /// Decodes a modulus. Some libraries prefix it with a zero, as RFC 7518 §6.3.1.1 mentions.
  private static func modulus(_ text: String?) -> [UInt8]? {
    self.bytes(text).map { $0.first == 0 ? Array($0.dropFirst()) : $0 }
  }

  /// Decodes base64url (RFC 7518 §2). 2,048 characters are enough for the largest modulus.
  private static func bytes(_ text: String?) -> [UInt8]? {
    guard let text, text.utf8.count <= 2048 else { return nil }
    return Base64URL.decode(text)
  }
}
