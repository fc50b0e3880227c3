extension Schema {
  /// The tables of the configuration version, accounts, and signing keys. Triggers increment the configuration version
  /// with each change to a client, a signing key, or an upstream.
  static let configurationTables = """
    CREATE TABLE configuration (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
    INSERT INTO configuration (id, version) VALUES (1, 1);
    CREATE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE sallyport.configuration SET version = version + 1; RETURN NULL; END $$;

    CREATE TABLE account (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      username \(text) NOT NULL UNIQUE CHECK (username <> ''),
      password_hash \(text) NOT NULL,
      password_changed_at BIGINT NOT NULL,
      name \(text),
      email \(text),
      created_at BIGINT NOT NULL,
      disabled_at BIGINT
    );

    CREATE TABLE signing_key (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      algorithm \(text) NOT NULL CHECK (algorithm IN ('ES256', 'RS256')),
      sealed_private_key BYTEA NOT NULL,
      created_at BIGINT NOT NULL,
      active_at BIGINT NOT NULL,
      retired_at BIGINT,
      removed_at BIGINT,
      CHECK (removed_at IS NULL OR removed_at >= retired_at)
    );
    \(versionTrigger(on: "signing_key"))
    """

  static func versionTrigger(on table: String) -> String {
    """
    CREATE TRIGGER \(table)_raises_version AFTER INSERT OR UPDATE OR DELETE ON \(table)
      FOR EACH ROW EXECUTE FUNCTION raise_version();
    """
  }
}
