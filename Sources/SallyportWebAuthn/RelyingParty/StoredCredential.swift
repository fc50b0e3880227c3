/// What an authentication needs to know about a credential that the relying party has stored.
package struct StoredCredential: Hashable, Sendable {
  /// The credential ID.
  package var id: [UInt8]
  /// The public key as an encoded COSE_Key.
  package var publicKey: [UInt8]
  /// The signature counter of the registration or of the last authentication.
  package var signCount: UInt32
  /// Whether the authenticator must report the credential as eligible for backup (WebAuthn L3 §7.2 step 19); nil if the
  /// relying party does not depend on it. Password managers change it when a user turns synchronization on or off, or
  /// imports a credential.
  package var isBackupEligible: Bool?

  package init(id: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool?) {
    self.id = id
    self.publicKey = publicKey
    self.signCount = signCount
    self.isBackupEligible = isBackupEligible
  }

  package init(_ credential: RegisteredCredential) {
    self.init(
      id: credential.id, publicKey: credential.publicKey, signCount: credential.signCount,
      isBackupEligible: credential.isBackupEligible)
  }
}
