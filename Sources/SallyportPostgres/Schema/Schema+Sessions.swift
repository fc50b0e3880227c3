extension Schema {
  /// The tables of browser sessions, consents, and back-channel logout.
  static let sessionTables = """
    CREATE TABLE browser_session (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      sid \(text) NOT NULL CHECK (sid <> ''),
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      authenticated_at BIGINT NOT NULL,
      last_seen_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      ended_at BIGINT
    );
    CREATE INDEX browser_session_account ON browser_session (account_id);
    CREATE INDEX browser_session_expiry ON browser_session (expires_at);
    CREATE INDEX browser_session_ended ON browser_session (ended_at) WHERE ended_at IS NOT NULL;

    -- The identifiers of consumed interactions. The requests themselves are sealed in URLs.
    CREATE TABLE consumed_interaction (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX consumed_interaction_expiry ON consumed_interaction (expires_at);

    -- Consent is stored for each set of resources, because consent for one does not imply consent for another.
    CREATE TABLE consent (
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      redirect_uri \(text) NOT NULL,
      resources \(text) NOT NULL,
      scope \(text) NOT NULL,
      given_at BIGINT NOT NULL,
      PRIMARY KEY (account_id, client_id, redirect_uri, resources)
    );
    CREATE INDEX consent_client ON consent (client_id);

    -- There is no foreign key to browser_session, because several of its rows can have the same sid: if the user signs
    -- in again, the new row has the sid of the old one.
    CREATE TABLE session_client (
      sid \(text) NOT NULL CHECK (sid <> ''),
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      expires_at BIGINT NOT NULL,
      PRIMARY KEY (sid, client_id)
    );
    CREATE INDEX session_client_client ON session_client (client_id);
    CREATE INDEX session_client_account ON session_client (account_id);
    CREATE INDEX session_client_expiry ON session_client (expires_at);

    CREATE TABLE logout_delivery (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      sid \(text) NOT NULL CHECK (sid <> ''),
      attempts BIGINT NOT NULL CHECK (attempts >= 0),
      due_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      -- True if no operator registered the client. This copy cannot become wrong, because the origin of a client never
      -- changes.
      is_dynamic BOOLEAN NOT NULL
    );
    CREATE INDEX logout_delivery_client ON logout_delivery (client_id);
    CREATE INDEX logout_delivery_account ON logout_delivery (account_id);
    CREATE INDEX logout_delivery_claim ON logout_delivery (is_dynamic, due_at, id);
    CREATE INDEX logout_delivery_expiry ON logout_delivery (expires_at);
    """
}
