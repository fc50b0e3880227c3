import Crypto
import SallyportProtocol

/// Fixed keys, so that an input means the same in every run, and the making of signed tokens out of fuzzed parts: what a fuzzer
/// changes lies behind the signature, where it would hardly ever get by itself.
enum FuzzKeys {
  /// The moment at which all checks take place.
  static let now = Timestamp(seconds: 1_800_000_000)

  /// `kid` of the two keys.
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

  /// Who signs.
  enum Signer { case own, stranger }

  private struct Pair: Sendable {
    let es256: P256.Signing.PrivateKey
    let edDSA: Curve25519.Signing.PrivateKey

    init?(_ byte: UInt8) {
      let bytes = [UInt8](repeating: byte, count: 32)
      guard let es256 = try? P256.Signing.PrivateKey(rawRepresentation: bytes),
        let edDSA = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
      else { return nil }
      (self.es256, self.edDSA) = (es256, edDSA)
    }
  }

  private static let own = Pair(1)
  private static let stranger = Pair(2)

  /// A token of an input: header and payload, on two lines, are signed; one line is a token as it is.
  static func token(_ input: [UInt8], by signer: Signer = .own) -> String? {
    guard let (header, payload) = self.parts(input) else { return String(validating: input, as: UTF8.self) }
    let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
    let isEdDSA = FuzzJSON.decode(JWSHeader.self, header)?.algorithm == "EdDSA"
    guard let signature = self.signature(Array(signed.utf8), isEdDSA: isEdDSA, by: signer) else { return nil }
    return "\(signed).\(Base64URL.encode(signature))"
  }

  /// Header and payload of an input that has two lines.
  static func parts(_ input: [UInt8]) -> (header: [UInt8], payload: [UInt8])? {
    guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return (Array(input[..<end]), Array(input[(end + 1)...]))
  }

  static func signature(_ bytes: [UInt8], isEdDSA: Bool = false, by signer: Signer = .own) -> [UInt8]? {
    guard let pair = signer == .own ? self.own : self.stranger else { return nil }
    if isEdDSA { return (try? pair.edDSA.signature(for: bytes)).map { Array($0) } }
    return (try? pair.es256.signature(for: bytes)).map { Array($0.rawRepresentation) }
  }

  /// Whether a token's signature is one of ours, by nothing but the cryptography.
  static func isOurs(_ token: String) -> Bool {
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
