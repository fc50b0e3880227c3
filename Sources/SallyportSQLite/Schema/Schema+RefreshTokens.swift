extension Schema {
  /// Stores a grant's refresh tokens next to each other, in the order in which they replaced one another. A refresh
  /// marks a token as consumed, clears the `sealed_successor` of the token before it, and inserts a new token, usually
  /// in the same page. A token contains its grant and number, so no index is needed to find it. See
  /// docs/decisions/0034-rows-in-time-order.md.
  ///
  /// Only the token with a grant's highest number can be valid, because a token is consumed before its successor is
  /// inserted.
  ///
  /// Tokens in the earlier format contain neither a grant nor a number. In the table, they get numbers of zero and
  /// below. They are found by their fingerprints, with the index `refresh_token_without_name`. This index is empty as
  /// soon as all of these tokens have been removed.
  static let numberedTokens = """
    CREATE TABLE refresh_token_anew (
      grant_id TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      consumed_at INTEGER,
      sealed_successor BLOB,
      PRIMARY KEY (grant_id, number),
      CHECK (consumed_at IS NOT NULL OR sealed_successor IS NULL)
    ) STRICT, WITHOUT ROWID;
    -- Each grant's last token gets the number 0, the one before it -1, and so on. Of the consumed
    -- tokens, only the newest can still have a sealed_successor (the last token in encrypted form), so this token gets
    -- the number -1.
    INSERT INTO refresh_token_anew SELECT grant_id, 1 - row_number() OVER chain, fingerprint, issued_at, expires_at, consumed_at,
        sealed_successor
      FROM refresh_token
      WINDOW chain AS (
        PARTITION BY grant_id ORDER BY consumed_at IS NOT NULL, sealed_successor IS NULL, consumed_at DESC, issued_at DESC);
    DROP TABLE refresh_token;
    ALTER TABLE refresh_token_anew RENAME TO refresh_token;
    CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);
    CREATE UNIQUE INDEX refresh_token_without_name ON refresh_token (fingerprint) WHERE number <= 0;

    CREATE TRIGGER refresh_token_of_living_grant BEFORE INSERT ON refresh_token
    WHEN (SELECT revoked_at FROM oauth_grant WHERE id = NEW.grant_id) IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the grant is revoked'); END;
    -- A new token must have the next number, and the token before it must have been consumed.
    CREATE TRIGGER refresh_token_comes_next BEFORE INSERT ON refresh_token
    WHEN (SELECT consumed_at IS NULL OR number <> NEW.number - 1 FROM refresh_token WHERE grant_id = NEW.grant_id
      ORDER BY number DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'the token does not come next after one that was replaced'); END;
    CREATE TRIGGER refresh_token_stays_consumed BEFORE UPDATE OF consumed_at ON refresh_token
    WHEN OLD.consumed_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the token was consumed already'); END;
    -- The grant, number, and fingerprint of a token never change.
    CREATE TRIGGER refresh_token_stays_in_place BEFORE UPDATE OF grant_id, number, fingerprint ON refresh_token
    BEGIN SELECT RAISE(ABORT, 'the token is another'); END;
    """
}
