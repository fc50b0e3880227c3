import JWTKit
import SallyportProtocol

/// A public key for one signature algorithm.
public struct VerificationKey: Sendable {
  /// `kid`.
  public let id: String?
  /// The algorithm's name in a JWS header.
  public let algorithm: String
  private let verifier: any JWTAlgorithm

  /// Reads a key that was chosen for an algorithm.
  ///
  /// The key goes into a collection of its own: JWTKit answers an unknown identifier with its default key, so it never gets to
  /// choose one.
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
    self.algorithm = algorithm.rawValue
  }

  /// Whether the signature is this key's over these bytes.
  package func isValid(signature: [UInt8], of bytes: [UInt8]) -> Bool {
    // A signature of a wrong length makes the verifier throw, which says the same.
    (try? self.verifier.verify(signature, signs: bytes)) ?? false
  }

  /// JWTKit's base64 decoder repairs what it reads, so every number is checked here first.
  private static func jwk(
    _ key: JSONWebKey, for algorithm: SignatureAlgorithm, identifier: JWKIdentifier
  ) throws(JWKSError) -> JWK {
    guard let name = JWK.Algorithm(rawValue: algorithm.rawValue) else { throw .unsupportedAlgorithm }
    switch (algorithm, algorithm.curve) {
    case (.edDSA, let curve?):
      guard self.isNumber(key.x, bytes: curve.length...curve.length) else { throw .invalidKey }
      return .octetKeyPair(name, identifier: identifier, x: key.x, y: nil, curve: .ed25519)
    case (_, let curve?):
      let length = curve.length...curve.length
      guard self.isNumber(key.x, bytes: length), self.isNumber(key.y, bytes: length) else { throw .invalidKey }
      return .ecdsa(name, identifier: identifier, x: key.x, y: key.y, curve: ECDSACurve(rawValue: curve.name))
    case (_, nil):
      // 2048 to 8192 bits: less is broken, more is a way to keep a processor busy.
      guard self.isNumber(key.n, bytes: 256...1024), self.isNumber(key.e, bytes: 1...4) else { throw .invalidKey }
      return .rsa(name, identifier: identifier, modulus: key.n, exponent: key.e)
    }
  }

  private static func isNumber(_ text: String?, bytes: ClosedRange<Int>) -> Bool {
    guard let text, text.utf8.count <= 2048, let decoded = Base64URL.decode(text) else { return false }
    return bytes.contains(decoded.count)
  }
}
