extension Schema {
  /// The authenticator apps and the recovery codes of accounts. Servers of the previous version can keep running,
  /// because they never read these tables.
  ///
  /// `last_step` is the time step of the last accepted code (RFC 6238 §4.2), so that no code is accepted twice.
  static let secondFactors = """
    CREATE TABLE totp (
      account_id \(text) PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      sealed_secret BYTEA NOT NULL CHECK (length(sealed_secret) > 0),
      last_step BIGINT NOT NULL CHECK (last_step >= 0),
      created_at BIGINT NOT NULL,
      last_used_at BIGINT
    );
    CREATE TABLE recovery_code (
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      fingerprint BYTEA NOT NULL CHECK (length(fingerprint) = 32),
      created_at BIGINT NOT NULL,
      used_at BIGINT,
      PRIMARY KEY (account_id, fingerprint)
    );
    """
}
