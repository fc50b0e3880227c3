/// What an authentication needs to know about a credential that the relying party has stored.
package struct StoredCredential: Hashable, Sendable {
  /// The credential ID.
  package var id: [UInt8]
  /// The public key as an encoded COSE_Key.
  package var publicKey: [UInt8]
  /// The signature counter of the registration or of the last authentication.
  package var signCount: UInt32
  package var isBackupEligible: Bool

  package init(id: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool) {
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
