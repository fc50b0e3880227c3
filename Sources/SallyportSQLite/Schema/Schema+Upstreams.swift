extension Schema {
  /// Other OpenID providers through which users sign in, the identities that users have there, and the requests that
  /// wait for a response.
  static let upstreams = """
    CREATE TABLE upstream (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      name TEXT NOT NULL CHECK (name <> ''),
      issuer TEXT NOT NULL CHECK (issuer <> ''),
      client_id TEXT NOT NULL CHECK (client_id <> ''),
      sealed_secret BLOB CHECK (length(sealed_secret) > 0),
      details TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      disabled_at INTEGER
    ) STRICT, WITHOUT ROWID;
    \(Schema.versionTriggers(table: "upstream").joined(separator: "\n"))

    -- An identity belongs to one account. It has no foreign key to the upstream, so that it can be used again after an
    -- operator has removed the upstream and added it again.
    CREATE TABLE federated_identity (
      issuer TEXT NOT NULL CHECK (issuer <> ''),
      subject TEXT NOT NULL CHECK (subject <> ''),
      account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      label TEXT,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      PRIMARY KEY (issuer, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX federated_identity_account ON federated_identity (account_id);

    CREATE TABLE upstream_request (
      fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
      sealed_content BLOB NOT NULL CHECK (length(sealed_content) > 0),
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX upstream_request_expiry ON upstream_request (expires_at);
    """
}
