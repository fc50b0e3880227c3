/// An attestation object (WebAuthn L3 §6.5.4).
package struct AttestationObject: Sendable {
  /// The attestation statement format.
  package let format: String
  package let statement: CBORValue
  package let authenticatorData: AuthenticatorData

  /// Parses an attestation object.
  /// - Throws: ``WebAuthnError/valueTooLong``, ``WebAuthnError/malformedAttestationObject``,
  ///   ``WebAuthnError/malformedAuthenticatorData``, ``WebAuthnError/invalidCredentialID``
  package init(_ bytes: [UInt8]) throws(WebAuthnError) {
    guard bytes.count <= WebAuthnLimits.attestationObject else { throw .valueTooLong }
    let value: CBORValue
    do { value = try CBORReader.decode(bytes) } catch { throw .malformedAttestationObject }
    guard let map = value.mapValue, map.count == 3, let format = map["fmt"]?.textValue, let statement = map["attStmt"],
      let authenticatorData = map["authData"]?.bytesValue
    else { throw .malformedAttestationObject }
    self.format = format
    self.statement = statement
    self.authenticatorData = try AuthenticatorData(authenticatorData)
  }
}
