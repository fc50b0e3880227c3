extension Schema {
  /// One-time links, queued mail, and whether the email address of an account is verified.
  static let mail = """
    ALTER TABLE account ADD COLUMN email_verified_at INTEGER;
    CREATE INDEX account_verified_email ON account (lower(email), created_at, id)
      WHERE email_verified_at IS NOT NULL;

    CREATE TABLE account_link (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      purpose TEXT NOT NULL CHECK (purpose <> ''),
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      email TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      consumed_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX account_link_account ON account_link (account_id);
    CREATE INDEX account_link_expiry ON account_link (expires_at);

    -- A message has no foreign key to the account, because the user is also notified when the account is removed.
    CREATE TABLE mail (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      recipient TEXT NOT NULL CHECK (recipient <> ''),
      content TEXT NOT NULL,
      sealed_link BLOB,
      attempts INTEGER NOT NULL CHECK (attempts >= 0),
      created_at INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mail_due ON mail (due_at, id);
    CREATE INDEX mail_expiry ON mail (expires_at);
    """
}
