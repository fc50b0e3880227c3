import SallyportProtocol

/// The factors of an account besides its password.
package struct AccountFactors: Sendable, Equatable {
  package let hasTOTP: Bool
  /// The number of passkeys that can be used with the current RP ID.
  package let passkeys: Int
  /// The number of recovery codes that have not been used.
  package let recoveryCodes: Int
  /// Whether the account has a passkey, even one that cannot be used with the current RP ID.
  private let hasPasskey: Bool

  /// - Parameter relyingPartyID: The current RP ID; nil if passkeys cannot be used.
  init(_ tx: borrowing any StoreSnapshot, of account: AccountID, relyingPartyID: String?) throws(StoreError) {
    self.hasTOTP = try tx.totp(of: account) != nil
    let passkeys = try tx.passkeys(of: account)
    self.hasPasskey = !passkeys.isEmpty
    self.passkeys = passkeys.count { $0.relyingPartyID == relyingPartyID }
    self.recoveryCodes = try tx.recoveryCodes(of: account).count { $0.usedAt == nil }
  }

  /// Whether a code can complete a sign-in with the password.
  package var acceptCodes: Bool { self.hasTOTP || self.recoveryCodes > 0 }

  /// Whether every sign-in with the password requires a code. Recovery codes alone suffice to require one, for example
  /// after an operator removed the authenticator app. If the account has a passkey, however, recovery codes are only
  /// for a user who has lost it, and do not make a code required.
  ///
  /// This includes a passkey that cannot be used because the operator turned passkeys off or changed the RP ID.
  /// Otherwise, every user with a passkey would need a recovery code for each sign-in. Only an operator can change
  /// these settings. A sign-in with the password alone still has the lowest level, and does not suffice for sensitive
  /// changes (``permitChanges(with:)``).
  package var requireCodes: Bool { self.hasTOTP || (!self.hasPasskey && self.recoveryCodes > 0) }

  /// Whether the account has a factor besides its password. The password alone then does not suffice for sensitive
  /// changes.
  package var hasAny: Bool { self.acceptCodes || self.passkeys > 0 }

  /// Whether a user who was authenticated with these `amr` values may make sensitive changes. Factors that only an
  /// upstream has checked do not replace the account's own factors.
  package func permitChanges(with methods: [String]) -> Bool {
    guard self.hasAny else { return true }
    return methods != AuthenticationContext.federatedTwoFactors && AuthenticationContext.Level(of: methods) >= .twoFactors
  }
}
