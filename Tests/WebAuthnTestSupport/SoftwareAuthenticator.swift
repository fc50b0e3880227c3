import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol
package import SallyportWebAuthn

/// Simulates a browser and an authenticator with one credential, and responds to the options that a relying party
/// sends.
///
/// A test changes the properties to create responses that a relying party must reject.
package struct SoftwareAuthenticator: Sendable {
  package let credentialID: [UInt8]
  package var key: SoftwareKey
  package var attestation: SoftwareAttestation
  /// The identifier of the authenticator's model; initially all zeros, unless the attestation has a certificate.
  package var aaguid: AAGUID
  package var flags: AuthenticatorFlags = [.userPresent, .userVerified, .backupEligible, .backedUp]
  /// The signature counter. A counter of zero stays zero, as in authenticators that do not count.
  package var signCount: UInt32 = 0
  /// The user handle of the registration.
  package var userHandle: [UInt8]?
  package var transports = ["hybrid", "internal"]

  /// The origin of the page.
  package var origin: String
  /// The relying party ID that replaces the one in the options.
  package var relyingPartyID: String?
  /// Members that are added to the client data or replace its members. `null` removes a member.
  package var clientDataMembers: [String: JSONValue] = [:]
  /// Encoded extension outputs at the end of the authenticator data.
  package var extensions: [UInt8]?

  /// Creates an authenticator with a new key.
  package init(
    origin: String, algorithm: COSEAlgorithm = .es256, attestation: SoftwareAttestation = .none,
    credentialID: [UInt8] = RandomText.bytes(count: 32)
  ) throws {
    self.origin = origin
    self.key = try SoftwareKey(algorithm)
    self.attestation = attestation
    self.credentialID = credentialID
    self.aaguid = attestation.aaguid
  }

  /// Responds to the options of a registration.
  package mutating func register(_ options: PublicKeyCredentialCreationOptionsJSON) throws -> AttestationResponse {
    self.userHandle = options.user.id.bytes
    let clientData = try self.clientData(.registration, challenge: options.challenge.bytes)
    let data = self.authenticatorData(for: options.rp.id, attestedCredentialData: self.attestedCredentialData)
    let (format, statement) = try self.attestation.statement(for: data + SHA256.hash(data: clientData), key: self.key)
    let object = TestCBOR.named([("fmt", .text(format)), ("attStmt", statement), ("authData", .bytes(data))])
    return AttestationResponse(
      credentialID: self.credentialID, clientDataJSON: clientData, attestationObject: object.bytes, transports: self.transports)
  }

  /// Responds to the options of an authentication.
  package mutating func authenticate(_ options: PublicKeyCredentialRequestOptionsJSON) throws -> AssertionResponse {
    if self.signCount > 0 { self.signCount += 1 }
    let clientData = try self.clientData(.authentication, challenge: options.challenge.bytes)
    let data = self.authenticatorData(for: options.rpId, attestedCredentialData: nil)
    return AssertionResponse(
      credentialID: self.credentialID, clientDataJSON: clientData, authenticatorData: data,
      signature: try self.key.sign(data + SHA256.hash(data: clientData)), userHandle: self.userHandle)
  }

  /// The attested credential data (WebAuthn L3 §6.5.1).
  package var attestedCredentialData: [UInt8] {
    let length = self.credentialID.count
    return self.aaguid.bytes + [UInt8(length >> 8), UInt8(length & 0xFF)] + self.credentialID + self.key.coseKey.bytes
  }

  private func clientData(_ ceremony: Ceremony, challenge: [UInt8]) throws -> [UInt8] {
    var members: [String: JSONValue] = [
      "type": .string(ceremony.rawValue), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(self.origin),
      "crossOrigin": false,
    ]
    for (name, value) in self.clientDataMembers { members[name] = value == .null ? nil : value }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(members))
  }

  private func authenticatorData(for id: String, attestedCredentialData: [UInt8]?) -> [UInt8] {
    var flags = self.flags
    if attestedCredentialData != nil { flags.insert(.attestedCredentialData) }
    if self.extensions != nil { flags.insert(.extensionData) }
    let counter = (0..<4).reversed().map { UInt8(truncatingIfNeeded: self.signCount >> ($0 * 8)) }
    return Array(SHA256.hash(data: Array((self.relyingPartyID ?? id).utf8))) + [flags.rawValue] + counter
      + (attestedCredentialData ?? []) + (self.extensions ?? [])
  }
}
