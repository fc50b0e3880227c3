extension Schema {
  /// The tables of accounts, clients, signing keys, and the configuration version. Triggers increment the version with
  /// each change to a client or a signing key. Later migrations add columns to these tables.
  static let configurationTables = """
    CREATE TABLE account (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      username TEXT NOT NULL UNIQUE CHECK (username <> ''),
      password_hash TEXT NOT NULL,
      password_changed_at INTEGER NOT NULL,
      name TEXT,
      email TEXT,
      created_at INTEGER NOT NULL,
      disabled_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE client (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      name TEXT NOT NULL,
      type TEXT NOT NULL CHECK (type IN ('public', 'confidential')),
      application_type TEXT NOT NULL CHECK (application_type IN ('native', 'web')),
      origin TEXT NOT NULL CHECK (origin IN ('operator', 'dynamic')),
      scope TEXT NOT NULL,
      signing_algorithm TEXT NOT NULL CHECK (signing_algorithm IN ('ES256', 'RS256')),
      secret_fingerprint BLOB CHECK (length(secret_fingerprint) = 32),
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE client_redirect_uri (
      client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      position INTEGER NOT NULL CHECK (position >= 0),
      uri TEXT NOT NULL CHECK (uri <> ''),
      PRIMARY KEY (client_id, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE signing_key (
      id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
      algorithm TEXT NOT NULL CHECK (algorithm IN ('ES256', 'RS256')),
      sealed_private_key BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      active_at INTEGER NOT NULL,
      retired_at INTEGER,
      removed_at INTEGER,
      CHECK (removed_at IS NULL OR removed_at >= retired_at)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE configuration (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      version INTEGER NOT NULL
    ) STRICT;
    INSERT INTO configuration (id, version) VALUES (1, 1);

    """ + ["client", "client_redirect_uri", "signing_key"].flatMap(versionTriggers).joined(separator: "\n")

  /// Returns the statements that create the triggers of a table, which increment the configuration version.
  static func versionTriggers(table: String) -> [String] {
    ["INSERT", "UPDATE", "DELETE"].map { event in
      """
      CREATE TRIGGER \(table)_\(event.lowercased())_raises_version AFTER \(event) ON \(table)
      BEGIN UPDATE configuration SET version = version + 1; END;
      """
    }
  }
}
