import Crypto
import JWTKit
import SallyportServer

/// ES256 signatures, tokens, and verifications per second on one core.
struct SignatureRates: Encodable {
  /// Signatures by swift-crypto over a text as long as a token.
  let signature: Double
  /// Complete tokens (JSON, base64url, and signature) by the server's own serializer.
  let serializer: Double
  /// Complete tokens by JWTKit.
  let jwtKit: Double
  /// Verifications of a signature by swift-crypto.
  let verification: Double

  static func measure() async throws -> SignatureRates {
    let key = P256.Signing.PrivateKey()
    let text = [UInt8](repeating: 0x41, count: 480)
    let signature = try key.signature(for: text)
    let serializer = try JWSSerializer(
      key: SigningKey(id: "example", algorithm: .es256, der: Array(key.derRepresentation)))
    let collection = try await JWTKeyCollection().add(ecdsa: ES256PrivateKey(backing: key))
    return SignatureRates(
      signature: try await rate { _ = try key.signature(for: text) },
      serializer: try await rate { _ = try serializer.sign(ExampleClaims(), as: .accessToken) },
      jwtKit: try await rate { _ = try await collection.sign(ExampleClaims()) },
      verification: await rate { _ = key.publicKey.isValidSignature(signature, for: text) })
  }
}

/// Claims that are about as long as the claims of an access token.
struct ExampleClaims: JWTPayload {
  var iss = "http://localhost:8080"
  var sub = "acct-Wd0Zs3hXQ9Gm1Yt2nKc4Ag"
  var aud = "http://localhost:8080"
  var exp = 1_800_000_600
  var iat = 1_800_000_000
  var jti = "c2lnbmF0dXJlLWV4YW1wbGU"
  var scope = "openid profile email offline_access"
  var clientID = "benchmark"
  var authTime = 1_800_000_000
  var grantID = "Z3JhbnQtZXhhbXBsZS1pZA"

  func verify(using algorithm: some JWTAlgorithm) async throws {}
}
