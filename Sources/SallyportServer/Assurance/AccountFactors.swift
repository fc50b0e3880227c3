import SallyportProtocol

/// The factors of an account besides its password.
package struct AccountFactors: Sendable, Equatable {
  package let hasTOTP: Bool
  /// The number of passkeys that can be used with the current RP ID.
  package let passkeys: Int
  /// The number of recovery codes that have not been used.
  package let recoveryCodes: Int

  /// - Parameter relyingPartyID: The current RP ID; nil if passkeys cannot be used.
  init(_ tx: borrowing any StoreSnapshot, of account: AccountID, relyingPartyID: String?) throws(StoreError) {
    self.hasTOTP = try tx.totp(of: account) != nil
    self.passkeys = try tx.passkeys(of: account).count { $0.relyingPartyID == relyingPartyID }
    self.recoveryCodes = try tx.recoveryCodes(of: account).count { $0.usedAt == nil }
  }

  /// Whether a code can complete a sign-in with the password.
  package var acceptCodes: Bool { self.hasTOTP || self.recoveryCodes > 0 }

  /// Whether every sign-in with the password requires a code. Recovery codes alone suffice to require one, for example
  /// after an operator removed the authenticator app. If the account has a passkey, however, recovery codes are only
  /// for a user who has lost it, and do not make a code required.
  package var requireCodes: Bool { self.hasTOTP || (self.passkeys == 0 && self.recoveryCodes > 0) }

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
