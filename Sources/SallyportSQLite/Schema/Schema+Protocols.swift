extension Schema {
  /// A migration that adds the tables of protocols beyond the code flow. It rebuilds the table `client`, because
  /// `ALTER TABLE` cannot add a constraint to a table. Before this migration, a confidential client could present its
  /// secret with `client_secret_basic` or `client_secret_post`. Each existing confidential client gets
  /// `client_secret_basic`, the default of RFC 7591 §2.
  static let protocolTables =
    """
    CREATE TABLE client_anew (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      name TEXT NOT NULL,
      type TEXT NOT NULL CHECK (type IN ('public', 'confidential')),
      application_type TEXT NOT NULL CHECK (application_type IN ('native', 'web')),
      origin TEXT NOT NULL CHECK (origin IN ('operator', 'dynamic', 'document')),
      scope TEXT NOT NULL,
      signing_algorithm TEXT NOT NULL CHECK (signing_algorithm IN ('ES256', 'RS256')),
      authentication_method TEXT NOT NULL
        CHECK (authentication_method IN ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
      secret_fingerprint BLOB CHECK (length(secret_fingerprint) = 32),
      jwks TEXT CHECK (substr(jwks, 1, 1) = '{'),
      jwks_uri TEXT CHECK (jwks_uri <> ''),
      grant_types TEXT NOT NULL,
      is_first_party INTEGER NOT NULL CHECK (is_first_party IN (0, 1)),
      registration_token BLOB CHECK (length(registration_token) = 32),
      details TEXT NOT NULL CHECK (substr(details, 1, 1) = '{'),
      created_at INTEGER NOT NULL,
      -- A public client does not authenticate (RFC 6749 §2.1), and a confidential one must have a secret or keys.
      CHECK ((type = 'public') = (authentication_method = 'none')),
      CHECK (authentication_method NOT IN ('client_secret_basic', 'client_secret_post') OR secret_fingerprint IS NOT NULL),
      CHECK (authentication_method <> 'private_key_jwt' OR jwks IS NOT NULL OR jwks_uri IS NOT NULL),
      CHECK (jwks IS NULL OR jwks_uri IS NULL),
      CHECK (origin = 'operator' OR is_first_party = 0),
      CHECK (origin = 'dynamic' OR registration_token IS NULL)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO client_anew SELECT id, name, type, application_type, origin, scope, signing_algorithm,
      CASE type WHEN 'confidential' THEN 'client_secret_basic' ELSE 'none' END,
      -- A confidential client without a secret could not authenticate. It still cannot, because nobody knows the secret
      -- of the random fingerprint.
      CASE type WHEN 'confidential' THEN coalesce(secret_fingerprint, randomblob(32)) ELSE secret_fingerprint END, NULL, NULL, 'authorization_code refresh_token', 0, NULL, '{}', created_at FROM client;
    DROP TABLE client;
    ALTER TABLE client_anew RENAME TO client;
    CREATE INDEX client_origin ON client (origin);

    """ + Schema.versionTriggers(table: "client").joined(separator: "\n")
      + """

      -- How long a client that no operator registered is kept (its lease). This is a table of its own, because each use of
      -- the client changes the lease, and a change to the table `client` would increase the configuration version.
      CREATE TABLE client_lease (
        client_id TEXT PRIMARY KEY NOT NULL REFERENCES client (id) ON DELETE CASCADE,
        last_used_at INTEGER NOT NULL,
        expires_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX client_lease_expiry ON client_lease (expires_at) WHERE expires_at IS NOT NULL;

      CREATE TABLE initial_access_token (
        fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
        label TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        remaining_uses INTEGER NOT NULL CHECK (remaining_uses >= 0)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX initial_access_token_expiry ON initial_access_token (expires_at);

      ALTER TABLE oauth_grant ADD COLUMN requested_scope TEXT;
      ALTER TABLE oauth_grant ADD COLUMN resources TEXT NOT NULL DEFAULT '';
      ALTER TABLE oauth_grant ADD COLUMN bound_key TEXT CHECK (length(bound_key) = 43);
      ALTER TABLE oauth_grant ADD COLUMN session_id TEXT CHECK (session_id <> '');
      ALTER TABLE oauth_grant ADD COLUMN acr TEXT;
      ALTER TABLE oauth_grant ADD COLUMN amr TEXT NOT NULL DEFAULT '';
      ALTER TABLE oauth_grant ADD COLUMN claims TEXT CHECK (substr(claims, 1, 1) = '{');
      CREATE INDEX oauth_grant_session ON oauth_grant (session_id) WHERE session_id IS NOT NULL AND revoked_at IS NULL;
      CREATE TRIGGER oauth_grant_stays_bound BEFORE UPDATE OF bound_key ON oauth_grant
      WHEN OLD.bound_key IS NOT NULL AND OLD.bound_key IS NOT NEW.bound_key
      BEGIN SELECT RAISE(ABORT, 'the grant is bound to another key'); END;

      CREATE TABLE pushed_request (
        fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
        client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
        sealed_parameters BLOB NOT NULL,
        expires_at INTEGER NOT NULL,
        consumed_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX pushed_request_client ON pushed_request (client_id);
      CREATE INDEX pushed_request_expiry ON pushed_request (expires_at);
      CREATE TRIGGER pushed_request_stays_consumed BEFORE UPDATE OF consumed_at ON pushed_request
      WHEN OLD.consumed_at IS NOT NULL
      BEGIN SELECT RAISE(ABORT, 'the request was used already'); END;

      CREATE TABLE device_authorization (
        fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
        user_code BLOB NOT NULL UNIQUE CHECK (length(user_code) = 32),
        client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
        scope TEXT NOT NULL,
        resources TEXT NOT NULL,
        bound_key TEXT CHECK (length(bound_key) = 43),
        poll_interval INTEGER NOT NULL CHECK (poll_interval > 0),
        last_polled_at INTEGER,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        decision TEXT CHECK (decision IN ('allowed', 'denied')),
        decided_at INTEGER,
        account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
        authenticated_at INTEGER,
        session_id TEXT,
        consumed_at INTEGER,
        grant_id TEXT REFERENCES oauth_grant (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        CHECK ((decision IS NULL) = (decided_at IS NULL)),
        CHECK ((decision IS 'allowed') = (account_id IS NOT NULL)),
        CHECK ((account_id IS NULL) = (authenticated_at IS NULL)),
        CHECK (session_id IS NULL OR account_id IS NOT NULL),
        CHECK (consumed_at IS NULL OR decision IS 'allowed'),
        CHECK ((consumed_at IS NULL) = (grant_id IS NULL))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX device_authorization_client ON device_authorization (client_id);
      CREATE INDEX device_authorization_account ON device_authorization (account_id) WHERE account_id IS NOT NULL;
      CREATE INDEX device_authorization_grant ON device_authorization (grant_id) WHERE grant_id IS NOT NULL;
      CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);
      CREATE TRIGGER device_authorization_stays_decided BEFORE UPDATE OF decision, decided_at, account_id ON device_authorization
      WHEN OLD.decided_at IS NOT NULL
      BEGIN SELECT RAISE(ABORT, 'the person has decided already'); END;
      CREATE TRIGGER device_authorization_stays_consumed BEFORE UPDATE OF consumed_at, grant_id ON device_authorization
      WHEN OLD.consumed_at IS NOT NULL
      BEGIN SELECT RAISE(ABORT, 'the device has its tokens already'); END;

      -- What must not be accepted again: the jti of proofs, assertions, and logout tokens, the challenges of passkeys,
      -- and revoked access tokens that clients obtained for themselves.
      CREATE TABLE used_identifier (
        fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX used_identifier_expiry ON used_identifier (expires_at);

      -- Attempts that are counted within a time window, and counters of rate limits.
      CREATE TABLE attempt (
        fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
        count INTEGER NOT NULL CHECK (count > 0),
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX attempt_expiry ON attempt (expires_at);
      """
}
