/// A new credential, as its authenticator describes it (WebAuthn L3 §6.5.1).
package struct AttestedCredentialData: Sendable {
  package let aaguid: AAGUID
  package let credentialID: [UInt8]
  /// The public key as an encoded COSE_Key.
  package let publicKey: [UInt8]

  /// Reads the data that starts at `position`, and moves `position` to its end.
  /// - Throws: ``WebAuthnError/malformedAuthenticatorData``, ``WebAuthnError/invalidCredentialID``
  init(_ bytes: [UInt8], at position: inout Int) throws(WebAuthnError) {
    let start = position
    // The AAGUID has 16 bytes, and the length of the credential ID has 2. The ID and the public key follow.
    guard bytes.count - start >= 18, let aaguid = AAGUID(bytes[start..<(start + 16)]) else { throw .malformedAuthenticatorData }
    let length = Int(bytes[start + 16]) << 8 | Int(bytes[start + 17])
    guard (1...WebAuthnLimits.credentialID).contains(length) else { throw .invalidCredentialID }
    let (id, key) = (start + 18, start + 18 + length)
    guard key <= bytes.count else { throw .malformedAuthenticatorData }
    var reader = CBORReader(bytes, at: key)
    do { _ = try reader.read() } catch { throw .malformedAuthenticatorData }
    self.aaguid = aaguid
    self.credentialID = Array(bytes[id..<key])
    self.publicKey = Array(bytes[key..<reader.position])
    position = reader.position
  }
}
