import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
package import SallyportWebAuthn

/// The attestation of a ``SoftwareAuthenticator``.
package enum SoftwareAttestation: Sendable {
  /// The format `none`.
  case none
  /// The format `packed`, signed with the credential's key.
  case selfSigned
  /// The format `packed`, signed with the key of a certificate. The chain is in DER, without the root.
  case packed(key: SoftwareAttestationKey, chain: [[UInt8]])
  /// Any other statement.
  case other(format: String, statement: TestCBOR)

  /// The model that the authenticator names in its data. Only an attestation with a certificate can prove a model.
  var aaguid: AAGUID {
    switch self {
    case .packed(let key, _): key.aaguid
    default: .zero
    }
  }

  func statement(for signed: [UInt8], key: SoftwareKey) throws -> (format: String, statement: TestCBOR) {
    switch self {
    case .none:
      return ("none", .map([]))
    case .selfSigned:
      return ("packed", .named([("alg", .integer(key.algorithm.rawValue)), ("sig", .bytes(try key.sign(signed)))]))
    case .packed(let key, let chain):
      // -7 is ES256 (RFC 9053 §2.1).
      return (
        "packed",
        .named([("alg", .integer(-7)), ("sig", .bytes(try key.sign(signed))), ("x5c", .array(chain.map { .bytes($0) }))])
      )
    case .other(let format, let statement):
      return (format, statement)
    }
  }
}

/// The ES256 key that all authenticators of a model share, and the model.
package struct SoftwareAttestationKey: Sendable {
  package let aaguid: AAGUID
  let key = P256.Signing.PrivateKey()

  package init(aaguid: AAGUID) {
    self.aaguid = aaguid
  }

  func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try self.key.signature(for: bytes).derRepresentation) }
}
