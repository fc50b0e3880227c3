extension Schema {
  /// Indexes for queries that would otherwise read a whole table. In each audit index, rows with the same value are
  /// ordered by identifier, and so by time.
  ///
  /// For an audit record that names an account, SQLite writes one more page, at a random position in the index by
  /// account. The other two audit indexes grow at only a few positions. The two most frequent events are not in the
  /// index of events, because a scan from the newest record soon finds enough of them.
  ///
  /// The column `is_strangers` of a logout delivery is 1 if no operator registered the client. It is derived from the
  /// client's origin, which never changes. With the column, one index covers the whole query that claims a delivery.
  static let indexes = """
    CREATE INDEX audit_account ON audit (account_id) WHERE account_id IS NOT NULL;
    CREATE INDEX audit_client ON audit (client_id) WHERE client_id IS NOT NULL;
    CREATE INDEX audit_event ON audit (event) WHERE event <> 'signed-in' AND event <> 'grant-issued';

    ALTER TABLE logout_delivery ADD COLUMN is_strangers INTEGER NOT NULL DEFAULT 0 CHECK (is_strangers IN (0, 1));
    UPDATE logout_delivery SET is_strangers = 1 WHERE client_id IN (SELECT id FROM client WHERE origin <> 'operator');
    DROP INDEX logout_delivery_due;
    CREATE INDEX logout_delivery_claim ON logout_delivery (is_strangers, due_at, id, client_id, expires_at);
    """

  /// Replaces four indexes with two, because each index is one more page to write in a sign-in or a refresh. The first
  /// new index finds a grant's tokens. It also allows only one unconsumed token per grant, because every unconsumed
  /// token has the same second value, x''. The second new index finds the grants of an account and of its sessions.
  static let fewerIndexes = """
    DROP INDEX refresh_token_one_live_per_grant;
    DROP INDEX refresh_token_grant;
    CREATE UNIQUE INDEX refresh_token_one_live_per_grant
      ON refresh_token (grant_id, CASE WHEN consumed_at IS NULL THEN x'' ELSE fingerprint END);

    DROP INDEX oauth_grant_session;
    DROP INDEX oauth_grant_account;
    CREATE INDEX oauth_grant_account ON oauth_grant (account_id, session_id);

    -- The same rule as before. For the earlier form with IN, SQLite filled a temporary table with the three values for
    -- each row. The constraint is changed in place, as SQLite's documentation of ALTER TABLE describes, because the
    -- table may be large.
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (source IN (''request'', ''command'', ''server''))',
      'CHECK (source = ''request'' OR source = ''command'' OR source = ''server'')') WHERE name = 'audit';
    PRAGMA writable_schema = RESET;
    """
}
