import SallyportProtocol

extension AccountRecord {
  /// Checks that something the user allowed may still be redeemed: the account is enabled, and its password has not changed since
  /// (RFC 9700 §4.14.2).
  ///
  /// Disabling an account and changing its password end everything in the same transaction (``SessionEnd``). This check makes redemption
  /// right even if a row is missed there. A decision in the millisecond of the change passes: a sign-in with the new password may
  /// happen that quickly, and a decision before the change is gone.
  /// - Parameter time: when the user decided.
  /// - Throws: `invalid_grant`.
  func checkUpholds(decisionAt time: Timestamp) throws(TokenError) {
    guard self.disabledAt == nil else { throw TokenError(.invalidGrant, .accountEnded) }
    guard time >= self.passwordChangedAt else { throw TokenError(.invalidGrant, .passwordChanged) }
  }
}
