import SallyportServer

/// A change of the schema after its first version.
///
/// The previous version of Sallyport keeps working while and after a migration is applied: a migration adds something
/// (expand), fills it in steps (backfill), or removes what no supported version uses (contract). Only a contraction that
/// an earlier version cannot work with increments ``Schema/version``, so that the earlier version rejects the database.
struct Migration {
  /// The position in the sequence, from 1.
  let number: Int64
  /// The statements, which run in one transaction with the schema `sallyport` in the search path.
  let statements: String

  /// The statements, and the record that the migration was applied.
  var script: String {
    """
    SET LOCAL search_path = sallyport, pg_temp;
    \(self.statements)
    INSERT INTO migration (number) VALUES (\(self.number));
    """
  }
}

extension Schema {
  /// The channel on which triggers send a notification when a client or a signing key changes.
  static let channel = "sallyport_configuration"

  /// All migrations in the order in which they are applied.
  static let migrations = [
    Migration(
      number: 1,
      statements: """
        CREATE TABLE migration (number BIGINT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now());
        -- Servers listen for changes of clients and signing keys.
        CREATE OR REPLACE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE sallyport.configuration SET version = version + 1;
          NOTIFY \(Schema.channel);
          RETURN NULL;
        END $$;
        """)
  ]

  /// What a database contains.
  enum State {
    case absent
    /// - Parameter migration: The number of the last migration that was applied; 0 for none.
    case present(migration: Int64)

    var isCurrent: Bool {
      if case .present(let migration) = self { migration >= Schema.migrations.last?.number ?? 0 } else { false }
    }
  }

  /// The SQL with which an administrator creates the schema, with all migrations, in a database that does not have it.
  /// - Parameter role: A role that gets the rights that a server needs; nil to grant nothing.
  static func creation(grantingTo role: String?) -> String {
    (["BEGIN;", self.script] + self.migrations.map(\.script) + (role.map { [self.grants(to: $0)] } ?? []) + ["COMMIT;"])
      .joined(separator: "\n")
  }

  /// The SQL that gives a role the rights to read and change data, but not to change the schema.
  static func grants(to role: String) -> String {
    let name = "\"" + role.replacing("\"", with: "\"\"") + "\""
    return """
      GRANT USAGE ON SCHEMA sallyport TO \(name);
      GRANT SELECT ON ALL TABLES IN SCHEMA sallyport TO \(name);
      GRANT INSERT, UPDATE, DELETE ON \(StoredTable.all.map { "sallyport.\($0.name)" }.joined(separator: ", ")) TO \(name);
      GRANT UPDATE ON sallyport.configuration TO \(name);
      """
  }
}
