/// The flags of authenticator data (WebAuthn L3 §6.1). Bits 1 and 5 are reserved and ignored.
package struct AuthenticatorFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// UP: the authenticator tested that a user was present, for example by waiting for a touch.
  package static let userPresent = Self(rawValue: 0x01)
  /// UV: the authenticator verified the user, for example with a PIN or a fingerprint.
  package static let userVerified = Self(rawValue: 0x04)
  /// BE: the credential can be backed up, for example by synchronizing it to other devices.
  package static let backupEligible = Self(rawValue: 0x08)
  /// BS: the credential is backed up at present.
  package static let backedUp = Self(rawValue: 0x10)
  /// AT: the data contains attested credential data, such as the public key of a new credential.
  package static let attestedCredentialData = Self(rawValue: 0x40)
  /// ED: the data contains outputs of extensions.
  package static let extensionData = Self(rawValue: 0x80)
}
