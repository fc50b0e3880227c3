extension Schema {
  /// Migrates the table of authorization codes: the identifier of the grant becomes the primary key, because a grant
  /// has at most one code. This identifier begins with the time, so rows are in time order, and a new code is written
  /// to only one B-tree. Codes that were issued before the migration do not contain the identifier of their grant, and
  /// can no longer be redeemed. See docs/decisions/0034-rows-in-time-order.md.
  static let codeOfGrant = """
    CREATE TABLE authorization_code_anew (
      grant_id TEXT PRIMARY KEY NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
      fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
      redirect_uri TEXT NOT NULL,
      challenge TEXT,
      expires_at INTEGER NOT NULL,
      consumed_at INTEGER,
      failures INTEGER NOT NULL CHECK (failures >= 0)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO authorization_code_anew SELECT grant_id, fingerprint, redirect_uri, challenge, expires_at, consumed_at, failures
      FROM authorization_code ORDER BY grant_id;
    DROP TABLE authorization_code;
    ALTER TABLE authorization_code_anew RENAME TO authorization_code;
    CREATE TRIGGER authorization_code_of_living_grant BEFORE INSERT ON authorization_code
    WHEN (SELECT revoked_at FROM oauth_grant WHERE id = NEW.grant_id) IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the grant is revoked'); END;
    CREATE TRIGGER authorization_code_stays_consumed BEFORE UPDATE OF consumed_at ON authorization_code
    WHEN OLD.consumed_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the code was consumed already'); END;
    """
}
