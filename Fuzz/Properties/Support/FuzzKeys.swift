import Crypto
import SallyportProtocol

/// Fixed keys, so that an input has the same result in every run.
///
/// The keys sign fuzzed headers and payloads. A fuzzer cannot create valid signatures, so without these keys the code
/// that follows the signature check would never run.
enum FuzzKeys {
  /// The time of all checks.
  static let now = Timestamp(seconds: 1_800_000_000)

  /// The `kid` of each key.
  static let ids = (es256: "e1", edDSA: "d1")

  /// The public keys as a JWK Set.
  static var jwks: String {
    guard let own = self.own else { return "{}" }
    let point = Array(own.es256.publicKey.rawRepresentation)
    let (x, y) = (Base64URL.encode(point[..<32]), Base64URL.encode(point[32...]))
    let edwards = Base64URL.encode(own.edDSA.publicKey.rawRepresentation)
    return """
      {"keys":[{"kty":"EC","crv":"P-256","kid":"\(self.ids.es256)","x":"\(x)","y":"\(y)"},\
      {"kty":"OKP","crv":"Ed25519","kid":"\(self.ids.edDSA)","x":"\(edwards)"}]}
      """
  }

  /// Whose keys sign a token. The code under test trusts the keys of `own`. It does not know the keys of `other`.
  enum Signer { case own, other }

  private struct Pair: Sendable {
    let es256: P256.Signing.PrivateKey
    let edDSA: Curve25519.Signing.PrivateKey

    /// Creates keys whose private keys consist of 32 copies of this byte.
    init?(_ byte: UInt8) {
      let bytes = [UInt8](repeating: byte, count: 32)
      guard let es256 = try? P256.Signing.PrivateKey(rawRepresentation: bytes),
        let edDSA = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
      else { return nil }
      (self.es256, self.edDSA) = (es256, edDSA)
    }
  }

  private static let own = Pair(1)
  private static let other = Pair(2)

  /// Returns the token that an input describes. If the input has two lines, they are the header and the payload, and
  /// the token is signed. An input with one line is the token itself.
  static func token(_ input: [UInt8], by signer: Signer = .own) -> String? {
    guard let (header, payload) = self.parts(input) else { return String(validating: input, as: UTF8.self) }
    let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
    let isEdDSA = FuzzJSON.decode(JWSHeader.self, header)?.algorithm == "EdDSA"
    guard let signature = self.signature(Array(signed.utf8), isEdDSA: isEdDSA, by: signer) else { return nil }
    return "\(signed).\(Base64URL.encode(signature))"
  }

  /// Returns the header and payload of an input with two lines, or `nil` if it has one.
  static func parts(_ input: [UInt8]) -> (header: [UInt8], payload: [UInt8])? {
    guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return (Array(input[..<end]), Array(input[(end + 1)...]))
  }

  /// Signs bytes with ES256, or with EdDSA if `isEdDSA` is true.
  static func signature(_ bytes: [UInt8], isEdDSA: Bool = false, by signer: Signer = .own) -> [UInt8]? {
    guard let pair = signer == .own ? self.own : self.other else { return nil }
    if isEdDSA { return (try? pair.edDSA.signature(for: bytes)).map { Array($0) } }
    return (try? pair.es256.signature(for: bytes)).map { Array($0.rawRepresentation) }
  }

  /// Whether a token was signed with one of the keys of `Signer.own`. The signature is verified without the code under
  /// test, except for base64url.
  static func isSignedWithOwnKey(_ token: String) -> Bool {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let own = self.own, let signature = Base64URL.decode(parts[2]) else { return false }
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    if let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
      own.es256.publicKey.isValidSignature(value, for: signed)
    {
      return true
    }
    return own.edDSA.publicKey.isValidSignature(signature, for: signed)
  }
}
