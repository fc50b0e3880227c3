extension RelyingParty {
  /// Verifies an assertion (WebAuthn L3 §7.2).
  ///
  /// The caller must find the credential by ``AssertionResponse/credentialID``, and must check that it belongs to the
  /// user of ``AssertionResponse/userHandle`` (step 6).
  /// - Parameters:
  ///   - response: The browser's response.
  ///   - challenge: The challenge that was sent.
  ///   - userVerification: Whether the authenticator must have verified the user.
  ///   - credential: The stored credential.
  /// - Throws: ``WebAuthnError``
  package func verifyAuthentication(
    _ response: AssertionResponse, challenge: [UInt8], userVerification: UserVerificationRequirement = .required,
    credential: StoredCredential
  ) throws(WebAuthnError) -> VerifiedAssertion {
    guard response.credentialID == credential.id else { throw .credentialIDMismatch }
    let clientData = try ClientData(json: response.clientDataJSON)
    try clientData.check(.authentication, challenge: challenge, origins: self.origins)

    guard response.authenticatorData.count <= WebAuthnLimits.authenticatorData,
      response.signature.count <= WebAuthnLimits.signature
    else { throw .valueTooLong }
    let data = try AuthenticatorData(response.authenticatorData)
    try data.check(relyingPartyIDHash: self.idHash, requiresUserVerification: userVerification == .required)
    guard data.attestedCredential == nil else { throw .attestedCredentialDataMismatch }
    let isBackupEligible = data.flags.contains(.backupEligible)
    if let required = credential.isBackupEligible, required != isBackupEligible { throw .backupEligibilityChanged }

    let key = try CredentialPublicKey(coseKey: credential.publicKey)
    guard key.isValidSignature(response.signature, for: data.bytes + clientData.hash) else { throw .invalidSignature }
    return VerifiedAssertion(
      signCount: data.signCount, signCounter: SignatureCounter(stored: credential.signCount, new: data.signCount),
      isBackupEligible: isBackupEligible, isBackedUp: data.flags.contains(.backedUp),
      isUserVerified: data.flags.contains(.userVerified))
  }
}
