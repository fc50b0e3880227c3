extension Schema {
  /// Adds the user agent and the network address of each session, for the account page. Removes the foreign key of
  /// logout deliveries to the account, because clients must also be notified when an account is removed. SQLite cannot
  /// remove a foreign key, so the table is created again. For the column `is_strangers`, see ``indexes``.
  static let sessionBrowsers = """
    ALTER TABLE browser_session ADD COLUMN user_agent TEXT;
    ALTER TABLE browser_session ADD COLUMN address TEXT;

    CREATE TABLE logout_delivery_anew (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id TEXT NOT NULL CHECK (account_id <> ''),
      sid TEXT NOT NULL CHECK (sid <> ''),
      attempts INTEGER NOT NULL CHECK (attempts >= 0),
      due_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      is_strangers INTEGER NOT NULL DEFAULT 0 CHECK (is_strangers IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    INSERT INTO logout_delivery_anew SELECT id, client_id, account_id, sid, attempts, due_at, expires_at, is_strangers
      FROM logout_delivery;
    DROP TABLE logout_delivery;
    ALTER TABLE logout_delivery_anew RENAME TO logout_delivery;
    CREATE INDEX logout_delivery_client ON logout_delivery (client_id);
    CREATE INDEX logout_delivery_expiry ON logout_delivery (expires_at);
    CREATE INDEX logout_delivery_claim ON logout_delivery (is_strangers, due_at, id, client_id, expires_at);
    """
}
