extension Schema {
  /// Upstreams (other OpenID providers through which users sign in), the identities that users have at upstreams, and
  /// the authorization requests to upstreams that wait for a response.
  static let upstreams = """
    CREATE TABLE upstream (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      name \(text) NOT NULL CHECK (name <> ''),
      issuer \(text) NOT NULL CHECK (issuer <> ''),
      client_id \(text) NOT NULL CHECK (client_id <> ''),
      sealed_secret BYTEA CHECK (length(sealed_secret) > 0),
      details \(text) NOT NULL,
      created_at BIGINT NOT NULL,
      disabled_at BIGINT
    );
    \(versionTrigger(on: "upstream"))

    -- An identity belongs to one account. It has no foreign key to the upstream, so that it can be used again after an
    -- operator has removed the upstream and added it again.
    CREATE TABLE federated_identity (
      issuer \(text) NOT NULL CHECK (issuer <> ''),
      subject \(text) NOT NULL CHECK (subject <> ''),
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      label \(text),
      created_at BIGINT NOT NULL,
      last_used_at BIGINT,
      PRIMARY KEY (issuer, subject)
    );
    CREATE INDEX federated_identity_account ON federated_identity (account_id);

    CREATE TABLE upstream_request (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      sealed_content BYTEA NOT NULL CHECK (length(sealed_content) > 0),
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX upstream_request_expiry ON upstream_request (expires_at);
    """
}
