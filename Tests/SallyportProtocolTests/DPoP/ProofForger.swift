import Crypto
import SallyportProtocol

/// Creates valid and invalid proofs. The values of the header, the key, and the claims are JSON text.
struct ProofForger: Sendable {
  var header: [String: String]
  var jwk: [String: String] {
    didSet { self.header["jwk"] = Self.json(self.jwk) }
  }
  var claims: [String: String] = [
    "jti": #""jti-1""#, "htm": #""POST""#, "htu": #""https://id.example/token""#, "iat": "1800000000",
  ]
  /// If not `nil`, the payload that replaces the claims.
  var payload: String?
  /// Modifies the signature.
  var signature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  private let sign: @Sendable ([UInt8]) throws -> [UInt8]

  init(_ algorithm: DPoPAlgorithm = .es256) {
    let jwk: [String: String]
    switch algorithm {
    case .es256:
      let key = P256.Signing.PrivateKey()
      jwk = Self.ellipticCurve("P-256", Array(key.publicKey.rawRepresentation))
      self.sign = { Array(try key.signature(for: $0).rawRepresentation) }
    case .es384:
      let key = P384.Signing.PrivateKey()
      jwk = Self.ellipticCurve("P-384", Array(key.publicKey.rawRepresentation))
      self.sign = { Array(try key.signature(for: $0).rawRepresentation) }
    case .edDSA:
      let key = Curve25519.Signing.PrivateKey()
      jwk = ["kty": #""OKP""#, "crv": #""Ed25519""#, "x": "\"\(Base64URL.encode(Array(key.publicKey.rawRepresentation)))\""]
      self.sign = { Array(try key.signature(for: $0)) }
    }
    self.jwk = jwk
    self.header = ["alg": "\"\(algorithm.rawValue)\"", "typ": #""dpop+jwt""#, "jwk": Self.json(jwk)]
  }

  func proof() throws -> String {
    let payload = self.payload ?? Self.json(self.claims)
    let input = "\(Base64URL.encode(Self.json(self.header).utf8)).\(Base64URL.encode(payload.utf8))"
    return "\(input).\(Base64URL.encode(self.signature(try self.sign(Array(input.utf8)))))"
  }

  private static func ellipticCurve(_ curve: String, _ point: [UInt8]) -> [String: String] {
    let (x, y) = (point.prefix(point.count / 2), point.suffix(point.count / 2))
    return [
      "kty": #""EC""#, "crv": "\"\(curve)\"", "x": "\"\(Base64URL.encode(x))\"", "y": "\"\(Base64URL.encode(y))\"",
    ]
  }

  private static func json(_ members: [String: String]) -> String {
    "{\(members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
  }
}
