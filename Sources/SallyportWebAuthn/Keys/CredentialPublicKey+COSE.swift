import Crypto
import CryptoExtras
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CredentialPublicKey {
  /// The labels of a COSE_Key (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4).
  private enum Label {
    static let keyType: Int64 = 1
    static let algorithm: Int64 = 3
    static let curve: Int64 = -1
    static let x: Int64 = -2
    static let y: Int64 = -3
    static let modulus: Int64 = -1
    static let exponent: Int64 = -2
  }

  /// The values of the label `keyType` (RFC 9053 §7, RFC 8230 §4).
  private enum KeyType {
    static let okp: Int64 = 1
    static let ec2: Int64 = 2
    static let rsa: Int64 = 3
  }

  /// The values of the label `curve` (RFC 9053 §7.1).
  private enum Curve {
    static let p256: Int64 = 1
    static let ed25519: Int64 = 6
  }

  /// Parses an encoded COSE_Key. Call ``checkPoint()`` before you store a new key.
  /// - Throws: ``WebAuthnError/malformedPublicKey``, ``WebAuthnError/unsupportedAlgorithm``,
  ///   ``WebAuthnError/keyTypeMismatch``, ``WebAuthnError/pointNotOnCurve``, ``WebAuthnError/unsupportedKeySize``
  package init(coseKey bytes: [UInt8]) throws(WebAuthnError) {
    let value: CBORValue
    do { value = try CBORReader.decode(bytes) } catch { throw .malformedPublicKey }
    try self.init(coseKey: value)
  }

  /// Reads a COSE_Key, which must contain exactly `alg` and the required parameters of its key type
  /// (WebAuthn L3 §6.5.1.1).
  init(coseKey value: CBORValue) throws(WebAuthnError) {
    guard let map = value.mapValue, let number = map[Label.algorithm]?.integerValue,
      let keyType = map[Label.keyType]?.integerValue
    else { throw .malformedPublicKey }
    guard let algorithm = COSEAlgorithm(rawValue: number) else { throw .unsupportedAlgorithm }
    switch algorithm {
    case .es256:
      guard keyType == KeyType.ec2 else { throw .keyTypeMismatch }
      self = .es256(try Self.p256(map))
    case .edDSA:
      guard keyType == KeyType.okp else { throw .keyTypeMismatch }
      self = .edDSA(try Self.ed25519(map))
    case .rs256:
      guard keyType == KeyType.rsa else { throw .keyTypeMismatch }
      self = .rs256(try Self.rsa(map))
    }
  }

  /// Reads an EC2 key on P-256 with an uncompressed point (WebAuthn L3 §5.8.5).
  private static func p256(_ map: CBORMap) throws(WebAuthnError) -> P256.Signing.PublicKey {
    guard let curve = map[Label.curve]?.integerValue else { throw .malformedPublicKey }
    guard curve == Curve.p256 else { throw .keyTypeMismatch }
    guard map.count == 5, let x = map[Label.x]?.bytesValue, let y = map[Label.y]?.bytesValue, x.count == 32, y.count == 32
    else { throw .malformedPublicKey }
    guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y) else { throw .pointNotOnCurve }
    return key
  }

  /// Reads an OKP key on Ed25519 (WebAuthn L3 §5.8.5).
  private static func ed25519(_ map: CBORMap) throws(WebAuthnError) -> Curve25519.Signing.PublicKey {
    guard let curve = map[Label.curve]?.integerValue else { throw .malformedPublicKey }
    guard curve == Curve.ed25519 else { throw .keyTypeMismatch }
    guard map.count == 4, let x = map[Label.x]?.bytesValue, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
    else { throw .malformedPublicKey }
    return key
  }

  /// Reads an RSA key.
  private static func rsa(_ map: CBORMap) throws(WebAuthnError) -> _RSA.Signing.PublicKey {
    guard map.count == 4, let modulus = map[Label.modulus]?.bytesValue, let exponent = map[Label.exponent]?.bytesValue
    else { throw .malformedPublicKey }
    let checked = Result { () throws(RSAKeyRules.Violation) in try RSAKeyRules.check(modulus: modulus, exponent: exponent) }
    switch checked {
    case .success: break
    case .failure(.malformed): throw .malformedPublicKey
    case .failure(.modulusLength): throw .unsupportedKeySize
    }
    guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { throw .malformedPublicKey }
    return key
  }
}
