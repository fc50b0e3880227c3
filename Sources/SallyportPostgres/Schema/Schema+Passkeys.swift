extension Schema {
  /// The passkeys of accounts, and the column `amr`, which says how the user of a session or of a device authorization
  /// was authenticated. A server of the previous version does not set `amr`. The default says that the user entered a
  /// password, which is the only method of that version.
  static let passkeys = """
    CREATE TABLE passkey (
      id BYTEA PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 1023),
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      rp_id \(text) NOT NULL CHECK (rp_id <> ''),
      public_key BYTEA NOT NULL,
      aaguid BYTEA NOT NULL CHECK (length(aaguid) = 16),
      is_attested BOOLEAN NOT NULL,
      signature_count BIGINT NOT NULL CHECK (signature_count BETWEEN 0 AND 4294967295),
      transports \(text) NOT NULL,
      is_backup_eligible BOOLEAN NOT NULL,
      is_backed_up BOOLEAN NOT NULL,
      name \(text) NOT NULL CHECK (name <> ''),
      created_at BIGINT NOT NULL,
      last_used_at BIGINT,
      CHECK (is_backup_eligible OR NOT is_backed_up)
    );
    CREATE INDEX passkey_account ON passkey (account_id);

    ALTER TABLE browser_session ADD COLUMN amr \(text) NOT NULL DEFAULT 'pwd';
    ALTER TABLE device_authorization ADD COLUMN amr \(text) NOT NULL DEFAULT 'pwd';
    """
}
