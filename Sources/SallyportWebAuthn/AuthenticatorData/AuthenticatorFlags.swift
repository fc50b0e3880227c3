/// The flags of authenticator data (WebAuthn L3 §6.1). Bits 1 and 5 are reserved and ignored.
package struct AuthenticatorFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// UP
  package static let userPresent = Self(rawValue: 0x01)
  /// UV
  package static let userVerified = Self(rawValue: 0x04)
  /// BE
  package static let backupEligible = Self(rawValue: 0x08)
  /// BS
  package static let backedUp = Self(rawValue: 0x10)
  /// AT
  package static let attestedCredentialData = Self(rawValue: 0x40)
  /// ED
  package static let extensionData = Self(rawValue: 0x80)
}
