extension Schema {
  /// One-time links for sign-up.
  static let signUp = """
    CREATE TABLE sign_up (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      kind TEXT NOT NULL CHECK (kind <> ''),
      email TEXT NOT NULL CHECK (email <> ''),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      consumed_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sign_up_expiry ON sign_up (expires_at);
    """
}
