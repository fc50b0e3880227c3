import SallyportProtocol

extension AccountRecord {
  /// Checks that a grant may be redeemed: the account is enabled, and its password has not changed since the user's
  /// decision (RFC 9700 §4.14.2).
  ///
  /// Disabling an account and changing its password already end its grants in the same transaction (``SessionEnd``).
  /// This check is a second safeguard. A decision in the same millisecond as the change passes, because it may follow a
  /// sign-in with the new password; grants from before the change have been revoked.
  /// - Parameter time: The time of the user's decision.
  /// - Throws: `invalid_grant`.
  func checkUpholds(decisionAt time: Timestamp) throws(TokenError) {
    guard self.disabledAt == nil else { throw TokenError(.invalidGrant, .accountEnded) }
    guard time >= self.passwordChangedAt else { throw TokenError(.invalidGrant, .passwordChanged) }
  }
}
