import Crypto
import CryptoExtras
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportWebAuthn
import TestSupport

/// The private key of a credential.
package struct SoftwareKey: Sendable {
  package let algorithm: COSEAlgorithm
  /// The public key as a COSE_Key.
  package let coseKey: TestCBOR
  private let signer: @Sendable ([UInt8]) throws -> [UInt8]

  /// Creates a key. All RS256 keys share one RSA private key, because creating an RSA key is slow.
  package init(_ algorithm: COSEAlgorithm = .es256) throws {
    self.algorithm = algorithm
    // The labels of a COSE_Key are 1 for the key type, 3 for the algorithm, and negative numbers for the parameters of
    // the key type (RFC 9052 §7.1, RFC 9053 §7).
    switch algorithm {
    case .es256:
      let key = P256.Signing.PrivateKey()
      let point = Array(key.publicKey.rawRepresentation)
      self.coseKey = .labeled([
        (1, .integer(2)), (3, .integer(-7)), (-1, .integer(1)), (-2, .bytes(Array(point[..<32]))),
        (-3, .bytes(Array(point[32...]))),
      ])
      self.signer = { Array(try key.signature(for: $0).derRepresentation) }
    case .edDSA:
      let key = Curve25519.Signing.PrivateKey()
      self.coseKey = .labeled([
        (1, .integer(1)), (3, .integer(-8)), (-1, .integer(6)), (-2, .bytes(Array(key.publicKey.rawRepresentation))),
      ])
      self.signer = { Array(try key.signature(for: $0)) }
    case .rs256:
      let key = try TestSigningKey.rsaKey.get()
      let numbers = try key.publicKey.getKeyPrimitives()
      self.coseKey = .labeled([
        (1, .integer(3)), (3, .integer(-257)), (-1, .bytes(Array(numbers.modulus))), (-2, .bytes(Array(numbers.publicExponent))),
      ])
      self.signer = { Array(try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation) }
    }
  }

  package func sign(_ bytes: [UInt8]) throws -> [UInt8] { try self.signer(bytes) }
}
