import SallyportProtocol

extension RefreshTokenRecord {
  /// Creates a record for a refresh token that is issued now.
  init(
    _ id: RefreshTokenID, _ fingerprint: Fingerprint, of grant: GrantRecord, _ lifetimes: Lifetimes, at now: Timestamp
  ) {
    self.init(
      id: id, fingerprint: fingerprint, issuedAt: now, expiresAt: min(now + lifetimes.refreshTokenIdle, grant.expiresAt))
  }
}
