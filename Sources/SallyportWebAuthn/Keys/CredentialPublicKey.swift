package import Crypto
package import CryptoExtras
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A public key that verifies signatures of a credential or of an attestation.
package enum CredentialPublicKey: Sendable {
  case es256(P256.Signing.PublicKey)
  case edDSA(Curve25519.Signing.PublicKey)
  case rs256(_RSA.Signing.PublicKey)

  package var algorithm: COSEAlgorithm {
    switch self {
    case .es256: .es256
    case .edDSA: .edDSA
    case .rs256: .rs256
    }
  }

  /// Checks that an Ed25519 key is a point on the curve, and that the order of this point is not small. Does nothing
  /// for other keys.
  ///
  /// The cryptographic library accepts any 32 bytes as an Ed25519 key, but checks the point of a P-256 key when it
  /// reads the key. An RSA key has no point.
  ///
  /// The check takes longer than the verification of a signature, so only a new key is checked.
  /// - Throws: ``WebAuthnError/pointNotOnCurve``
  package func checkPoint() throws(WebAuthnError) {
    guard case .edDSA(let key) = self else { return }
    guard Ed25519Point.isValid(Array(key.rawRepresentation)) else { throw .pointNotOnCurve }
  }

  /// Whether a signature is valid. ECDSA signatures are in DER (WebAuthn L3 §6.5.5).
  package func isValidSignature(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
    switch self {
    case .es256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: SHA256.digest(of: bytes))
    case .edDSA(let key):
      return key.isValidSignature(signature, for: bytes)
    case .rs256(let key):
      // RS256 requires the padding of PKCS #1 v1.5 (RFC 8812 §2), which the library calls insecure.
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.digest(of: bytes), padding: .insecurePKCS1v1_5)
    }
  }
}
