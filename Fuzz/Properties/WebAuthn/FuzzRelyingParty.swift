import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportWebAuthn

/// A relying party with a fixed challenge, and a credential whose private key is known.
enum FuzzRelyingParty {
  static let id = "example.org"
  static let origins = ["https://example.org", "https://login.example.org:8443"]
  static let challenge = [UInt8](repeating: 0, count: 24)
  static let credentialID: [UInt8] = [1, 2, 3]

  static let relyingParty = try? RelyingParty(id: id, origins: origins)
  /// A relying party on a subdomain, with another RP ID. It must reject the credentials of ``relyingParty``.
  static let subdomainRelyingParty = try? RelyingParty(id: "login.example.org", origins: [origins[1]])

  /// Client data that is valid for both relying parties, because both accept its origin.
  static let clientData = Array(
    #"{"type":"webauthn.create","challenge":"\#(Base64URL.encode(challenge))","origin":"https://login.example.org:8443"}"#.utf8)

  /// The credential as it is stored.
  static var credential: StoredCredential? {
    // The coordinates x and y of the public key, with 32 bytes each.
    guard let point = self.credentialKey?.publicKey.rawRepresentation else { return nil }
    // A COSE key in CBOR (RFC 9053 §7.1.1): kty (1) is EC2 (2), alg (3) is ES256 (-7), crv (-1) is P-256 (1), and x
    // (-2) and y (-3) are strings of 32 bytes.
    let coseKey = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + point.prefix(32) + [0x22, 0x58, 32] + point.suffix(32)
    return StoredCredential(id: self.credentialID, publicKey: Array(coseKey), signCount: 7, isBackupEligible: true)
  }

  /// Signs with the key of the credential, or with another key.
  static func signature(of bytes: [UInt8], byOtherKey: Bool = false) -> [UInt8]? {
    (try? (byOtherKey ? self.otherKey : self.credentialKey)?.signature(for: bytes)).map { Array($0.derRepresentation) }
  }

  private static var credentialKey: P256.Signing.PrivateKey? { self.key(repeating: 3) }
  private static var otherKey: P256.Signing.PrivateKey? { self.key(repeating: 4) }

  private static func key(repeating byte: UInt8) -> P256.Signing.PrivateKey? {
    try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: byte, count: 32))
  }
}
