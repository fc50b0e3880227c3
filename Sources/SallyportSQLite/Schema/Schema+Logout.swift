extension Schema {
  /// The tables of back-channel logout, and consents for resources. Existing sessions get a random `sid`, which is safe
  /// because no client has received a `sid` of these sessions before.
  static let logoutTables = """
    CREATE TABLE browser_session_anew (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      sid TEXT NOT NULL CHECK (sid <> ''),
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      authenticated_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ended_at INTEGER
    ) STRICT, WITHOUT ROWID;
    INSERT INTO browser_session_anew SELECT fingerprint, lower(hex(randomblob(16))), account_id, authenticated_at, last_seen_at,
      expires_at, ended_at FROM browser_session;
    DROP TABLE browser_session;
    ALTER TABLE browser_session_anew RENAME TO browser_session;
    CREATE INDEX browser_session_account ON browser_session (account_id);
    CREATE INDEX browser_session_expiry ON browser_session (expires_at);
    CREATE INDEX browser_session_ended ON browser_session (ended_at) WHERE ended_at IS NOT NULL;

    -- Consent is stored for each set of resources, because consent for one does not imply consent for another.
    CREATE TABLE consent_anew (
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      redirect_uri TEXT NOT NULL,
      resources TEXT NOT NULL,
      scope TEXT NOT NULL,
      given_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, client_id, redirect_uri, resources)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO consent_anew SELECT account_id, client_id, redirect_uri, '', scope, given_at FROM consent;
    DROP TABLE consent;
    ALTER TABLE consent_anew RENAME TO consent;
    CREATE INDEX consent_client ON consent (client_id);

    -- There is no foreign key to browser_session, because several of its rows can have the same sid: if the user signs
    -- in again, the new row has the sid of the old one.
    CREATE TABLE session_client (
      sid TEXT NOT NULL CHECK (sid <> ''),
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (sid, client_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_client_client ON session_client (client_id);
    CREATE INDEX session_client_account ON session_client (account_id);
    CREATE INDEX session_client_expiry ON session_client (expires_at);

    CREATE TABLE logout_delivery (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      sid TEXT NOT NULL CHECK (sid <> ''),
      attempts INTEGER NOT NULL CHECK (attempts >= 0),
      due_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX logout_delivery_client ON logout_delivery (client_id);
    CREATE INDEX logout_delivery_account ON logout_delivery (account_id);
    CREATE INDEX logout_delivery_due ON logout_delivery (due_at);
    CREATE INDEX logout_delivery_expiry ON logout_delivery (expires_at);
    """
}
