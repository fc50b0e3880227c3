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
    guard let point = self.key(3)?.publicKey.rawRepresentation else { return nil }
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    let coseKey = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + point.prefix(32) + [0x22, 0x58, 32] + point.suffix(32)
    return StoredCredential(id: self.credentialID, publicKey: Array(coseKey), signCount: 7, isBackupEligible: true)
  }

  /// Signs with the key of the credential, or with another key.
  static func signature(of bytes: [UInt8], byOtherKey: Bool = false) -> [UInt8]? {
    (try? self.key(byOtherKey ? 4 : 3)?.signature(for: bytes)).map { Array($0.derRepresentation) }
  }

  private static func key(_ byte: UInt8) -> P256.Signing.PrivateKey? {
    try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: byte, count: 32))
  }
}
