/// A new credential whose registration was verified. Store it as a credential record (WebAuthn L3 §4).
package struct RegisteredCredential: Hashable, Sendable {
  /// The credential ID. Reject the registration if any account has a credential with this ID (§7.1 step 26).
  package let id: [UInt8]
  /// The public key as an encoded COSE_Key.
  package let publicKey: [UInt8]
  package let algorithm: COSEAlgorithm
  /// The signature counter.
  package let signCount: UInt32
  /// Whether the credential can be backed up. This property of a credential never changes.
  package let isBackupEligible: Bool
  package let isBackedUp: Bool
  /// Whether the authenticator verified the user, for example with a PIN or a fingerprint.
  package let isUserVerified: Bool
  /// The model of the authenticator, as the authenticator states it. Use it as a hint only.
  package let aaguid: AAGUID
  package let attestation: AttestationResult
  /// How the browser can reach the authenticator. Send the transports with the credential ID in later requests.
  package let transports: [String]
}
