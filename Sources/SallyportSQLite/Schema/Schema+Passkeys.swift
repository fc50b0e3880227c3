extension Schema {
  /// The passkeys of accounts, and the column `amr`, which says how the user of a session or of a device authorization
  /// was authenticated. Existing rows get `pwd`, because passwords were the only method before this migration.
  static let passkeys = """
    CREATE TABLE passkey (
      id BLOB PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 1023),
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      rp_id TEXT NOT NULL CHECK (rp_id <> ''),
      public_key BLOB NOT NULL,
      aaguid BLOB NOT NULL CHECK (length(aaguid) = 16),
      is_attested INTEGER NOT NULL CHECK (is_attested IN (0, 1)),
      signature_count INTEGER NOT NULL CHECK (signature_count BETWEEN 0 AND 4294967295),
      transports TEXT NOT NULL,
      is_backup_eligible INTEGER NOT NULL CHECK (is_backup_eligible IN (0, 1)),
      is_backed_up INTEGER NOT NULL CHECK (is_backed_up IN (0, 1)),
      name TEXT NOT NULL CHECK (name <> ''),
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      CHECK (is_backup_eligible OR NOT is_backed_up)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX passkey_account ON passkey (account_id);

    ALTER TABLE browser_session ADD COLUMN amr TEXT NOT NULL DEFAULT 'pwd';
    ALTER TABLE device_authorization ADD COLUMN amr TEXT NOT NULL DEFAULT 'pwd';
    """
}
