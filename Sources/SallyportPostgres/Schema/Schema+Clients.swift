extension Schema {
  static let clientTables = """
    CREATE TABLE client (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      name \(text) NOT NULL,
      type \(text) NOT NULL CHECK (type IN ('public', 'confidential')),
      application_type \(text) NOT NULL CHECK (application_type IN ('native', 'web')),
      origin \(text) NOT NULL CHECK (origin IN ('operator', 'dynamic', 'document')),
      scope \(text) NOT NULL,
      signing_algorithm \(text) NOT NULL CHECK (signing_algorithm IN ('ES256', 'RS256')),
      authentication_method \(text) NOT NULL
        CHECK (authentication_method IN ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
      secret_fingerprint BYTEA CHECK (length(secret_fingerprint) = 32),
      jwks \(text) CHECK (left(jwks, 1) = '{'),
      jwks_uri \(text) CHECK (jwks_uri <> ''),
      grant_types \(text) NOT NULL,
      is_first_party BOOLEAN NOT NULL,
      registration_token BYTEA CHECK (length(registration_token) = 32),
      details \(text) NOT NULL CHECK (left(details, 1) = '{'),
      created_at BIGINT NOT NULL,
      -- A public client does not authenticate (RFC 6749 §2.1), and a confidential one must have a secret or keys.
      CHECK ((type = 'public') = (authentication_method = 'none')),
      CHECK (authentication_method NOT IN ('client_secret_basic', 'client_secret_post') OR secret_fingerprint IS NOT NULL),
      CHECK (authentication_method <> 'private_key_jwt' OR jwks IS NOT NULL OR jwks_uri IS NOT NULL),
      CHECK (jwks IS NULL OR jwks_uri IS NULL),
      CHECK (origin = 'operator' OR NOT is_first_party),
      CHECK (origin = 'dynamic' OR registration_token IS NULL)
    );
    CREATE INDEX client_origin ON client (origin);
    \(versionTrigger(on: "client"))

    CREATE TABLE client_redirect_uri (
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      position BIGINT NOT NULL CHECK (position >= 0),
      uri \(text) NOT NULL CHECK (uri <> ''),
      PRIMARY KEY (client_id, position)
    );
    \(versionTrigger(on: "client_redirect_uri"))

    -- How long a client that no operator registered is kept (its lease). This is a table of its own, because each use of
    -- the client changes the lease, and a change to the table `client` would increase the configuration version.
    CREATE TABLE client_lease (
      client_id \(text) PRIMARY KEY REFERENCES client (id) ON DELETE CASCADE,
      last_used_at BIGINT NOT NULL,
      expires_at BIGINT
    );
    CREATE INDEX client_lease_expiry ON client_lease (expires_at) WHERE expires_at IS NOT NULL;

    CREATE TABLE initial_access_token (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      label \(text) NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      remaining_uses BIGINT NOT NULL CHECK (remaining_uses >= 0)
    );
    CREATE INDEX initial_access_token_expiry ON initial_access_token (expires_at);
    """
}
