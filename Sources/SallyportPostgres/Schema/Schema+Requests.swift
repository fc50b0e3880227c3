extension Schema {
  /// The tables of pushed requests, device authorizations, identifiers that can be used once, and counted attempts.
  static let requestTables =
    """
    CREATE TABLE pushed_request (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      sealed_parameters BYTEA NOT NULL,
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX pushed_request_client ON pushed_request (client_id);
    CREATE INDEX pushed_request_expiry ON pushed_request (expires_at);

    CREATE TABLE device_authorization (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      user_code BYTEA NOT NULL UNIQUE CHECK (length(user_code) = 32),
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      scope \(text) NOT NULL,
      resources \(text) NOT NULL,
      bound_key \(text) CHECK (length(bound_key) = 43),
      poll_interval BIGINT NOT NULL CHECK (poll_interval > 0),
      last_polled_at BIGINT,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      decision \(text) CHECK (decision IN ('allowed', 'denied')),
      decided_at BIGINT,
      account_id \(text) REFERENCES account (id) ON DELETE CASCADE,
      authenticated_at BIGINT,
      session_id \(text),
      consumed_at BIGINT,
      grant_id \(text) REFERENCES oauth_grant (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      CHECK ((decision IS NULL) = (decided_at IS NULL)),
      CHECK ((decision IS NOT DISTINCT FROM 'allowed') = (account_id IS NOT NULL)),
      CHECK ((account_id IS NULL) = (authenticated_at IS NULL)),
      CHECK (session_id IS NULL OR account_id IS NOT NULL),
      CHECK (consumed_at IS NULL OR decision IS NOT DISTINCT FROM 'allowed'),
      CHECK ((consumed_at IS NULL) = (grant_id IS NULL))
    );
    CREATE INDEX device_authorization_client ON device_authorization (client_id);
    CREATE INDEX device_authorization_account ON device_authorization (account_id) WHERE account_id IS NOT NULL;
    CREATE INDEX device_authorization_grant ON device_authorization (grant_id) WHERE grant_id IS NOT NULL;
    CREATE INDEX device_authorization_expiry ON device_authorization (expires_at);

    -- What must not be used again: the jti of proofs, assertions, and logout tokens, the challenges of passkeys, and
    -- access tokens that a client obtained for itself and revoked.
    CREATE TABLE used_identifier (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX used_identifier_expiry ON used_identifier (expires_at);

    -- Attempts that are counted within a time window, and counters of rate limits.
    CREATE TABLE attempt (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      count BIGINT NOT NULL CHECK (count > 0),
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX attempt_expiry ON attempt (expires_at);

    """
    + [
      Self.rejectUpdate(
        "device_authorization_stays_decided", of: "decision, decided_at, account_id", on: "device_authorization",
        when: "OLD.decided_at IS NOT NULL", "the user has already decided"),
      Self.rejectUpdate(
        "device_authorization_stays_consumed", of: "consumed_at, grant_id", on: "device_authorization",
        when: "OLD.consumed_at IS NOT NULL", "the device already has its tokens"),
    ].joined(separator: "\n")
}
