/// The browser's response to ``PublicKeyCredentialCreationOptionsJSON`` (WebAuthn L3 §5.1.8,
/// `RegistrationResponseJSON`).
package struct AttestationResponse: Hashable, Sendable {
  package var credentialID: [UInt8]
  package var clientDataJSON: [UInt8]
  package var attestationObject: [UInt8]
  /// How the browser can reach the authenticator, such as `usb` or `internal`.
  package var transports: [String]

  package init(credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String] = []) {
    self.credentialID = credentialID
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
    self.transports = transports
  }

  /// Parses a response in the JSON format of `PublicKeyCredential.toJSON()`.
  ///
  /// `authenticatorData`, `publicKey`, and `publicKeyAlgorithm` are ignored, because the attestation object contains
  /// them.
  /// - Throws: ``WebAuthnError/malformedResponse``, ``WebAuthnError/valueTooLong``,
  ///   ``WebAuthnError/unsupportedCredentialType``, ``WebAuthnError/credentialIDMismatch``
  package init(json: [UInt8]) throws(WebAuthnError) {
    let credential = try CredentialJSON<AttestationMembers>(json)
    self.credentialID = try credential.credentialID()
    self.clientDataJSON = try Base64URLText(credential.response.clientDataJSON).decoded(atMost: WebAuthnLimits.clientData)
    self.attestationObject = try Base64URLText(credential.response.attestationObject)
      .decoded(atMost: WebAuthnLimits.attestationObject)
    self.transports = credential.response.transports ?? []
    guard self.transports.count <= WebAuthnLimits.transports.count,
      self.transports.allSatisfy({ $0.utf8.count <= WebAuthnLimits.transports.length })
    else { throw .valueTooLong }
  }

  /// `AuthenticatorAttestationResponseJSON`. Browsers that implement only WebAuthn Level 1 report no transports.
  private struct AttestationMembers: Decodable {
    let clientDataJSON: String
    let attestationObject: String
    let transports: [String]?
  }
}
