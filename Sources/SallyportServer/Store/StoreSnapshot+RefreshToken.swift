extension StoreSnapshot {
  /// Returns a token's record with its grant and account, even if the token has expired or was used.
  package func refreshToken(_ token: RefreshToken) throws(StoreError) -> GrantedCredential<RefreshTokenRecord>? {
    try self.refreshToken(token.fingerprint, token.id)
  }
}
