extension Schema {
  /// The authenticator apps and the recovery codes of accounts. `last_step` is the time step (RFC 6238 §4) of the last
  /// accepted code, so that no code is accepted twice.
  static let secondFactors = """
    CREATE TABLE totp (
      account_id TEXT PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      sealed_secret BLOB NOT NULL CHECK (length(sealed_secret) > 0),
      last_step INTEGER NOT NULL CHECK (last_step >= 0),
      created_at INTEGER NOT NULL,
      last_used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE recovery_code (
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
      created_at INTEGER NOT NULL,
      used_at INTEGER,
      PRIMARY KEY (account_id, fingerprint)
    ) STRICT, WITHOUT ROWID;
    """
}
