package import SallyportProtocol

extension RelyingParty {
  /// Verifies the registration of a credential (WebAuthn L3 §7.1).
  ///
  /// The caller must also check that no account has a credential with this ID (step 26).
  /// - Parameters:
  ///   - response: The browser's response.
  ///   - challenge: The challenge that was sent.
  ///   - userVerification: Whether the authenticator must have verified the user.
  ///   - attestation: Which authenticators are accepted.
  ///   - now: The time at which certificates must be valid.
  /// - Throws: ``WebAuthnError``
  package func verifyRegistration(
    _ response: AttestationResponse, challenge: [UInt8], userVerification: UserVerificationRequirement = .required,
    attestation: AttestationPolicy = .none, at now: Timestamp
  ) async throws(WebAuthnError) -> RegisteredCredential {
    let clientData = try ClientData(json: response.clientDataJSON)
    try clientData.check(.registration, challenge: challenge, origins: self.origins)

    let object = try AttestationObject(response.attestationObject)
    let data = object.authenticatorData
    try data.check(relyingPartyIDHash: self.idHash, requiresUserVerification: userVerification == .required)
    guard let credential = data.attestedCredential else { throw .attestedCredentialDataMismatch }
    guard credential.credentialID == response.credentialID else { throw .credentialIDMismatch }
    let key = try CredentialPublicKey(coseKey: credential.publicKey)
    try key.checkPoint()

    let result = try await attestation.verify(object, credential, key: key, clientDataHash: clientData.hash, at: now)
    return RegisteredCredential(
      id: credential.credentialID, publicKey: credential.publicKey, algorithm: key.algorithm, signCount: data.signCount,
      isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp),
      isUserVerified: data.flags.contains(.userVerified), aaguid: credential.aaguid, attestation: result,
      transports: response.transports)
  }
}
