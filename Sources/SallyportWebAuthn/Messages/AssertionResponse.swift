/// The browser's response to ``PublicKeyCredentialRequestOptionsJSON`` (WebAuthn L3 §5.1.8,
/// `AuthenticationResponseJSON`).
package struct AssertionResponse: Hashable, Sendable {
  package var credentialID: [UInt8]
  package var clientDataJSON: [UInt8]
  package var authenticatorData: [UInt8]
  package var signature: [UInt8]
  /// The user handle of the account. Authenticators send it if the options list no credentials, and may send it
  /// otherwise (WebAuthn L3 §5.2.2).
  package var userHandle: [UInt8]?

  package init(
    credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]? = nil
  ) {
    self.credentialID = credentialID
    self.clientDataJSON = clientDataJSON
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
  }

  /// Parses a response in the JSON format of `PublicKeyCredential.toJSON()`.
  /// - Throws: ``WebAuthnError/malformedResponse``, ``WebAuthnError/valueTooLong``,
  ///   ``WebAuthnError/unsupportedCredentialType``, ``WebAuthnError/credentialIDMismatch``
  package init(json: [UInt8]) throws(WebAuthnError) {
    let credential = try CredentialJSON<AssertionMembers>(json)
    let members = credential.response
    self.credentialID = try credential.credentialID()
    self.clientDataJSON = try Base64URLText(members.clientDataJSON).decoded(atMost: WebAuthnLimits.clientData)
    self.authenticatorData = try Base64URLText(members.authenticatorData).decoded(atMost: WebAuthnLimits.authenticatorData)
    self.signature = try Base64URLText(members.signature).decoded(atMost: WebAuthnLimits.signature)
    self.userHandle = try members.userHandle.map { text throws(WebAuthnError) in
      try Base64URLText(text).decoded(atMost: WebAuthnLimits.userHandle)
    }
  }

  /// `AuthenticatorAssertionResponseJSON`.
  private struct AssertionMembers: Decodable {
    let clientDataJSON: String
    let authenticatorData: String
    let signature: String
    let userHandle: String?
  }
}
