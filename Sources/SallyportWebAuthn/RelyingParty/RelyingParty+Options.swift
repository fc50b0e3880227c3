import SallyportProtocol

extension RelyingParty {
  /// Returns the options of a registration, which require a discoverable credential.
  /// - Parameters:
  ///   - name: The name of the service, which the browser or the authenticator may show to the user.
  ///   - user: The account of the new credential.
  ///   - challenge: At least 16 random bytes.
  ///   - existing: The credentials that the account already has.
  ///   - timeout: How long the browser waits for the user.
  package func creationOptions(
    name: String, user: PublicKeyCredentialCreationOptionsJSON.UserEntity, challenge: [UInt8],
    excluding existing: [PublicKeyCredentialDescriptorJSON] = [],
    userVerification: UserVerificationRequirement = .required, attestation: AttestationPolicy = .none,
    timeout: Duration = .seconds(300)
  ) -> PublicKeyCredentialCreationOptionsJSON {
    PublicKeyCredentialCreationOptionsJSON(
      rp: .init(id: self.id, name: name), user: user, challenge: Base64URLBytes(challenge),
      pubKeyCredParams: COSEAlgorithm.allCases.map { .init($0) }, timeout: Int(timeout.milliseconds),
      excludeCredentials: existing, authenticatorSelection: .init(userVerification: userVerification),
      attestation: attestation.conveyance)
  }

  /// Returns the options of an authentication.
  /// - Parameters:
  ///   - challenge: At least 16 random bytes.
  ///   - credentials: The credentials that can be used. If empty, the user chooses a discoverable credential.
  ///   - timeout: How long the browser waits for the user.
  package func requestOptions(
    challenge: [UInt8], allowing credentials: [PublicKeyCredentialDescriptorJSON] = [],
    userVerification: UserVerificationRequirement = .required, timeout: Duration = .seconds(300)
  ) -> PublicKeyCredentialRequestOptionsJSON {
    PublicKeyCredentialRequestOptionsJSON(
      challenge: Base64URLBytes(challenge), timeout: Int(timeout.milliseconds), rpId: self.id, allowCredentials: credentials,
      userVerification: userVerification)
  }
}
