/// An assertion that was verified. Update the credential record with it (WebAuthn L3 §7.2).
package struct VerifiedAssertion: Hashable, Sendable {
  /// The new signature counter.
  package let signCount: UInt32
  /// How the new counter compares with the stored one.
  package let signCounter: SignatureCounter
  package let isBackupEligible: Bool
  package let isBackedUp: Bool
  /// Whether the authenticator verified the user, for example with a PIN or a fingerprint.
  package let isUserVerified: Bool
}

/// How a signature counter changed (WebAuthn L3 §6.1.1, §7.2 step 22).
package enum SignatureCounter: Hashable, Sendable {
  /// The authenticator does not count: the stored and the new counter are zero.
  case unsupported
  case increased
  /// The counter did not increase. The credential may have been copied. The relying party decides whether to reject the
  /// authentication.
  case notIncreased

  init(stored: UInt32, new: UInt32) {
    self = stored == 0 && new == 0 ? .unsupported : new > stored ? .increased : .notIncreased
  }
}
