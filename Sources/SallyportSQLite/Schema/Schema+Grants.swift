extension Schema {
  /// The tables of sessions, consents, grants, and tokens.
  static let grantTables = """
    CREATE TABLE browser_session (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      authenticated_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX browser_session_account ON browser_session (account_id);
    CREATE INDEX browser_session_expiry ON browser_session (expires_at);
    CREATE INDEX browser_session_ended ON browser_session (ended_at) WHERE ended_at IS NOT NULL;

    -- The identifiers of consumed interactions. The requests themselves are sealed in URLs.
    CREATE TABLE burned_interaction (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX burned_interaction_expiry ON burned_interaction (expires_at);

    CREATE TABLE consent (
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      redirect_uri TEXT NOT NULL,
      scope TEXT NOT NULL,
      given_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, client_id, redirect_uri)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX consent_client ON consent (client_id);

    CREATE TABLE oauth_grant (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      scope TEXT NOT NULL,
      nonce TEXT,
      authenticated_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER,
      revocation_reason TEXT,
      CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX oauth_grant_client ON oauth_grant (client_id);
    CREATE INDEX oauth_grant_account ON oauth_grant (account_id);
    CREATE INDEX oauth_grant_expiry ON oauth_grant (expires_at);
    CREATE INDEX oauth_grant_revoked ON oauth_grant (revoked_at) WHERE revoked_at IS NOT NULL;

    CREATE TABLE authorization_code (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      grant_id TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
      redirect_uri TEXT NOT NULL,
      challenge TEXT,
      expires_at INTEGER NOT NULL,
      consumed_at INTEGER,
      failures INTEGER NOT NULL CHECK (failures >= 0)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX authorization_code_grant ON authorization_code (grant_id);
    CREATE INDEX authorization_code_expiry ON authorization_code (expires_at) WHERE consumed_at IS NULL;

    CREATE TABLE refresh_token (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      grant_id TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
      issued_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      consumed_at INTEGER,
      successor BLOB CHECK (length(successor) = 32),
      sealed_successor BLOB,
      predecessor BLOB CHECK (length(predecessor) = 32),
      CHECK (consumed_at IS NOT NULL OR (successor IS NULL AND sealed_successor IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX refresh_token_one_live_per_grant ON refresh_token (grant_id) WHERE consumed_at IS NULL;
    CREATE INDEX refresh_token_grant ON refresh_token (grant_id);
    CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);

    -- A revoked grant gets no new codes or tokens, and consumed credentials stay consumed.
    CREATE TRIGGER authorization_code_of_living_grant BEFORE INSERT ON authorization_code
    WHEN (SELECT revoked_at FROM oauth_grant WHERE id = NEW.grant_id) IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the grant is revoked'); END;
    CREATE TRIGGER refresh_token_of_living_grant BEFORE INSERT ON refresh_token
    WHEN (SELECT revoked_at FROM oauth_grant WHERE id = NEW.grant_id) IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the grant is revoked'); END;
    CREATE TRIGGER oauth_grant_stays_revoked BEFORE UPDATE OF revoked_at ON oauth_grant WHEN OLD.revoked_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the grant is revoked already'); END;
    CREATE TRIGGER authorization_code_stays_consumed BEFORE UPDATE OF consumed_at ON authorization_code
    WHEN OLD.consumed_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the code was consumed already'); END;
    CREATE TRIGGER refresh_token_stays_consumed BEFORE UPDATE OF consumed_at ON refresh_token
    WHEN OLD.consumed_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'the token was consumed already'); END;
    """
}
