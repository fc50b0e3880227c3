import Crypto
import SallyportWebAuthn

/// Properties of registrations. The input is an attestation object. The client data is valid.
enum AttestationObjectProperties {
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let relyingParty = FuzzRelyingParty.relyingParty, let otherParty = FuzzRelyingParty.subdomainRelyingParty else {
      throw Violation(of: "the relying parties are valid")
    }
    guard let object = try? AttestationObject(input), let id = object.authenticatorData.attestedCredential?.credentialID else {
      return false
    }
    let response = AttestationResponse(
      credentialID: id, clientDataJSON: FuzzRelyingParty.clientData, attestationObject: input)
    guard let credential = await self.register(response, by: relyingParty) else { return false }

    let data = object.authenticatorData.bytes
    let idHash = SHA256.hash(data: Array(FuzzRelyingParty.id.utf8))
    try require(data.prefix(32).elementsEqual(idHash), "the authenticator data begins with the hash of the RP ID")
    try require(data[32] & 0x45 == 0x45, "the flags UP, UV, and AT are set")
    try require(data[32] & 0x18 != 0x10, "only a credential that is eligible for backup is backed up")
    try require(
      credential.isBackupEligible == (data[32] & 8 != 0), "the credential is eligible for backup if, and only if, BE is set")
    try require((1...1023).contains(id.count), "a credential ID has 1 to 1,023 bytes")
    // The ID follows the RP ID hash (32 bytes), flags (1), counter (4), AAGUID (16), and the ID's length (2).
    try require(data[55...].starts(with: id), "the authenticator data contains the credential ID")
    try require(
      data[(55 + id.count)...].starts(with: credential.publicKey), "the authenticator data contains the public key")
    let key = try? CredentialPublicKey(coseKey: credential.publicKey)
    try require(key?.algorithm == credential.algorithm, "the public key is valid")
    try require(key?.isValidSignature([1], for: []) == false, "a single byte is not a valid signature")
    try require(credential.attestation == .none, "the model is unverified, because no attestation is required")
    try require(await self.register(response, by: otherParty) == nil, "another relying party rejects the credential")
    var changed = response
    changed.credentialID.append(0)
    try require(await self.register(changed, by: relyingParty) == nil, "another credential ID is rejected")
    if let trusted = TrustedAuthenticators(aaguids: [credential.aaguid], roots: []) {
      let attested = await self.register(response, by: relyingParty, attestation: .required(trusted))
      try require(attested == nil, "without root certificates, no attestation is valid")
    }
    return true
  }

  private static func register(
    _ response: AttestationResponse, by relyingParty: RelyingParty, attestation: AttestationPolicy = .none
  ) async -> RegisteredCredential? {
    try? await relyingParty.verifyRegistration(
      response, challenge: FuzzRelyingParty.challenge, attestation: attestation, at: FuzzKeys.now)
  }
}
