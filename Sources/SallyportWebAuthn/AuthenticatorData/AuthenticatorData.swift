/// Authenticator data (WebAuthn L3 §6.1).
package struct AuthenticatorData: Sendable {
  /// The data as it was received. Signatures cover it.
  package let bytes: [UInt8]
  package let flags: AuthenticatorFlags
  /// The signature counter.
  package let signCount: UInt32
  /// The new credential of a registration.
  package let attestedCredential: AttestedCredentialData?

  /// Parses the data. Extension outputs must be a CBOR map and are otherwise ignored.
  /// - Throws: ``WebAuthnError/malformedAuthenticatorData``, ``WebAuthnError/invalidCredentialID``
  package init(_ bytes: [UInt8]) throws(WebAuthnError) {
    // The data begins with the hash of the relying party ID (32 bytes), the flags (1 byte), and the counter (4 bytes).
    guard bytes.count >= 37 else { throw .malformedAuthenticatorData }
    self.bytes = bytes
    self.flags = AuthenticatorFlags(rawValue: bytes[32])
    self.signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var position = 37
    self.attestedCredential =
      self.flags.contains(.attestedCredentialData) ? try AttestedCredentialData(bytes, at: &position) : nil
    if self.flags.contains(.extensionData) {
      var reader = CBORReader(bytes, at: position)
      let extensions: CBORValue
      do { extensions = try reader.read() } catch { throw .malformedAuthenticatorData }
      guard extensions.mapValue != nil else { throw .malformedAuthenticatorData }
      position = reader.position
    }
    guard position == bytes.count else { throw .malformedAuthenticatorData }
  }

  /// The SHA-256 hash of the relying party ID.
  package var relyingPartyIDHash: ArraySlice<UInt8> { self.bytes[..<32] }

  /// Checks the relying party ID and the flags, as both a registration and an authentication require (WebAuthn L3 §7.1
  /// steps 14 to 17, §7.2 steps 15 to 18).
  /// - Throws: ``WebAuthnError/relyingPartyMismatch``, ``WebAuthnError/userNotPresent``,
  ///   ``WebAuthnError/userNotVerified``, ``WebAuthnError/backupStateWithoutEligibility``
  func check(relyingPartyIDHash: [UInt8], requiresUserVerification: Bool) throws(WebAuthnError) {
    guard self.relyingPartyIDHash.elementsEqual(relyingPartyIDHash) else { throw .relyingPartyMismatch }
    guard self.flags.contains(.userPresent) else { throw .userNotPresent }
    guard !requiresUserVerification || self.flags.contains(.userVerified) else { throw .userNotVerified }
    guard self.flags.contains(.backupEligible) || !self.flags.contains(.backedUp) else { throw .backupStateWithoutEligibility }
  }
}
