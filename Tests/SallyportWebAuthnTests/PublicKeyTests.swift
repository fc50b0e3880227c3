import Crypto
import CryptoExtras
import Foundation
import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

/// In a COSE key (RFC 9052 §7), label 1 is the key type: 1 (OKP), 2 (EC2), or 3 (RSA). Label 3 is the algorithm: -7
/// (ES256), -8 (EdDSA), -35 (ES384), or -257 (RS256). For EC2 and OKP, -1 is the curve, -2 is x, and -3 is y. For RSA,
/// -1 is the modulus, and -2 is the exponent.
@Suite("Public keys")
struct PublicKeyTests {
  private static func error(_ key: TestCBOR) -> WebAuthnError? {
    Result { () throws(WebAuthnError) in try CredentialPublicKey(coseKey: key.bytes).checkPoint() }.error
  }

  private static let point = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
  private static let (x, y) = (Array(point[..<32]), Array(point[32...]))

  @Test("a P-256 key is an uncompressed point on P-256 for ES256")
  func p256() {
    func key(
      type: Int64 = 2, algorithm: Int64 = -7, curve: Int64 = 1, x: [UInt8] = Self.x, y: TestCBOR = .bytes(Self.y)
    ) -> WebAuthnError? {
      let pairs: [(Int64, TestCBOR)] = [
        (1, .integer(type)), (3, .integer(algorithm)), (-1, .integer(curve)), (-2, .bytes(x)), (-3, y),
      ]
      return Self.error(.labeled(pairs))
    }
    #expect(key() == nil)
    #expect(key(type: 1) == .keyTypeMismatch)
    #expect(key(type: 3) == .keyTypeMismatch)
    #expect(key(algorithm: -8) == .keyTypeMismatch)
    #expect(key(algorithm: -257) == .keyTypeMismatch)
    #expect(key(algorithm: -35) == .unsupportedAlgorithm)
    #expect(key(algorithm: 7) == .unsupportedAlgorithm)
    // P-384, and secp256k1.
    #expect(key(curve: 2) == .keyTypeMismatch)
    #expect(key(curve: 8) == .keyTypeMismatch)
    #expect(key(y: .bytes(Self.x)) == .pointNotOnCurve)
    #expect(key(x: [UInt8](repeating: 0, count: 32), y: .bytes([UInt8](repeating: 0, count: 32))) == .pointNotOnCurve)
    #expect(key(x: [UInt8](repeating: 0xFF, count: 32)) == .pointNotOnCurve)
    #expect(key(x: [0] + Self.x) == .malformedPublicKey)
    #expect(key(y: .bytes([])) == .malformedPublicKey)
    // A compressed point has a Boolean instead of y (RFC 9053 §7.1.1). 0xF5 is `true` in CBOR.
    #expect(key(y: .encoded([0xF5])) == .malformedPublicKey)
  }

  @Test("a key must contain its parameters and no others")
  func parameters() {
    #expect(Self.error(.encoded([])) == .malformedPublicKey)
    #expect(Self.error(.array([])) == .malformedPublicKey)
    #expect(Self.error(.map([])) == .malformedPublicKey)
    let pairs: [(Int64, TestCBOR)] = [
      (1, .integer(2)), (3, .integer(-7)), (-1, .integer(1)), (-2, .bytes(Self.x)), (-3, .bytes(Self.y)),
    ]
    for index in pairs.indices {
      var others = pairs
      others.remove(at: index)
      #expect(Self.error(.labeled(others)) == .malformedPublicKey)
    }
    // A private key (label -4), and key_ops (label 4).
    #expect(Self.error(.labeled(pairs + [(-4, .bytes(Self.x))])) == .malformedPublicKey)
    #expect(Self.error(.labeled(pairs[..<2] + [(4, .array([.integer(2)]))] + pairs[2...])) == .malformedPublicKey)
    // Labels as text.
    #expect(Self.error(.named([("alg", .integer(-7)), ("kty", .integer(2))])) == .malformedPublicKey)
  }

  @Test("an Ed25519 key is a point on the curve for EdDSA")
  func ed25519() {
    func key(_ x: [UInt8], type: Int64 = 1, algorithm: Int64 = -8, curve: Int64 = 6) -> WebAuthnError? {
      Self.error(.labeled([(1, .integer(type)), (3, .integer(algorithm)), (-1, .integer(curve)), (-2, .bytes(x))]))
    }
    let x = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
    #expect(key(x) == nil)
    #expect(key(x, type: 2) == .keyTypeMismatch)
    #expect(key(x, algorithm: -7) == .keyTypeMismatch)
    #expect(key(x, algorithm: -53) == .unsupportedAlgorithm)
    // X25519, and Ed448.
    #expect(key(x, curve: 4) == .keyTypeMismatch)
    #expect(key(x, curve: 7) == .keyTypeMismatch)
    #expect(key(Array(x.dropLast())) == .malformedPublicKey)
    #expect(key(x + [0]) == .malformedPublicKey)
  }

  /// A point is reduced if its y-coordinate is less than p = 2^255 - 19.
  @Test("points that are not on Ed25519's curve, have small order, or are not reduced are rejected")
  func ed25519Points() {
    func error(_ x: [UInt8]) -> WebAuthnError? {
      Self.error(.labeled([(1, .integer(1)), (3, .integer(-8)), (-1, .integer(6)), (-2, .bytes(x))]))
    }
    // A Python script computed which of these y-coordinates belong to points. The points with y = 0 and y = 1 have
    // small order, so they are rejected too.
    for y in UInt8(0)...11 {
      let isValid = [3, 4, 5, 6, 9, 10].contains(y)
      #expect(error([y] + [UInt8](repeating: 0, count: 31)) == (isValid ? nil : .pointNotOnCurve), "y = \(y)")
      // The sign of the x-coordinate.
      #expect(error([y] + [UInt8](repeating: 0, count: 30) + [0x80]) == (isValid ? nil : .pointNotOnCurve), "y = \(y)")
    }
    for hex in [
      // The other points of small order.
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
      // p, p + 1, p + 3, and 2^255 - 1. The third equals 3 modulo p, which is the y-coordinate of a point.
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
      #expect(error(Vectors.bytes(.string(hex))) == .pointNotOnCurve, "\(hex)")
    }
    // p - 3 has the same square as 3 modulo p, so it is the y-coordinate of a point too.
    #expect(error(Vectors.bytes(.string("eaffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"))) == nil)
  }

  @Test("the public keys of 100 private keys are on Ed25519's curve")
  func ed25519Keys() throws {
    for seed in UInt8(0)..<100 {
      let key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
      let x = Array(key.publicKey.rawRepresentation)
      #expect(Self.error(.labeled([(1, .integer(1)), (3, .integer(-8)), (-1, .integer(6)), (-2, .bytes(x))])) == nil)
    }
  }

  @Test("an RSA key has a modulus of 2,048 to 8,192 bits, and an odd exponent from 65,537 to 2^32 - 1")
  func rsa() {
    func modulus(bits: Int) -> [UInt8] {
      [UInt8(1 << ((bits - 1) % 8))] + [UInt8](repeating: 0xFF, count: (bits - 1) / 8)
    }
    func key(_ n: [UInt8], _ e: [UInt8] = [1, 0, 1], type: Int64 = 3, algorithm: Int64 = -257) -> WebAuthnError? {
      Self.error(.labeled([(1, .integer(type)), (3, .integer(algorithm)), (-1, .bytes(n)), (-2, .bytes(e))]))
    }
    for bits in [2048, 2049, 3072, 8191, 8192] { #expect(key(modulus(bits: bits)) == nil, "\(bits) bits") }
    for bits in [512, 1024, 2047, 8193, 16_384] {
      #expect(key(modulus(bits: bits)) == .unsupportedKeySize, "\(bits) bits")
    }
    let n = modulus(bits: 2048)
    #expect(key(n, type: 2) == .keyTypeMismatch)
    #expect(key(n, algorithm: -7) == .keyTypeMismatch)
    // RS1 and PS256.
    #expect(key(n, algorithm: -65535) == .unsupportedAlgorithm)
    #expect(key(n, algorithm: -37) == .unsupportedAlgorithm)
    #expect(key([]) == .malformedPublicKey)
    #expect(key([0] + n) == .malformedPublicKey)
    #expect(key(Array(n.dropLast()) + [0xFE]) == .malformedPublicKey)
    for exponent in [
      [], [1], [3], [0x11], [1, 0, 0], [1, 0, 2], [0, 1, 0, 1], [1, 0, 0, 0, 1], [UInt8](repeating: 0xFF, count: 9),
    ] {
      #expect(key(n, exponent) == .malformedPublicKey, "\(exponent)")
    }
    for exponent in [[1, 0, 1], [1, 0, 3], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      #expect(key(n, exponent) == nil, "\(exponent)")
    }
  }
}
