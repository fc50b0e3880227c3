extension Schema {
  /// One-time links, queued mail, and whether the email address of an account is verified.
  static let mail = """
    ALTER TABLE account ADD COLUMN email_verified_at BIGINT;

    CREATE TABLE account_link (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      purpose \(text) NOT NULL CHECK (purpose <> ''),
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      email \(text),
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      consumed_at BIGINT
    );
    CREATE INDEX account_link_account ON account_link (account_id);
    CREATE INDEX account_link_expiry ON account_link (expires_at);

    -- A message has no foreign key to the account, because the user is also notified when the account is removed.
    CREATE TABLE mail (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      recipient \(text) NOT NULL CHECK (recipient <> ''),
      content \(text) NOT NULL,
      sealed_link BYTEA,
      attempts BIGINT NOT NULL CHECK (attempts >= 0),
      created_at BIGINT NOT NULL,
      due_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX mail_due ON mail (due_at, id);
    CREATE INDEX mail_expiry ON mail (expires_at);
    """
}
