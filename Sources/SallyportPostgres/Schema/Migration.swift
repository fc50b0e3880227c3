import SallyportServer

/// A change to the schema after its first version.
///
/// Servers are upgraded one after the other, so the previous version of Sallyport must keep working while a migration
/// is applied and afterward. A change that replaces columns or tables has three parts, which are spread over two or
/// three versions of Sallyport:
///
/// 1. A migration adds columns or tables (expand). If the new version needs values in rows that the previous version
///    inserts, a trigger or a default sets them.
/// 2. A ``Backfill`` sets the values of existing rows in steps.
/// 3. A migration of a later version removes the old columns or tables (contract), and raises the schema version. The
///    preceding version of Sallyport must already work without them. Older programs, which still use them, have a lower
///    ``Schema/version``, and therefore do not open the database.
///
/// A transaction that waits for a lock on a table makes all later transactions on the table wait too. A migration must
/// therefore hold its locks only for a short time: it must not rewrite or scan a large table. An index of an existing
/// table is an ``OnlineIndex``, unless the table is always small.
struct Migration {
  enum Change {
    /// Statements, which run in one transaction with the schema `sallyport` in the search path.
    case statements(String)
    /// A change to existing rows, with one transaction for each step.
    case backfill(Backfill)
    /// An index of an existing table, which is created outside of a transaction.
    case index(OnlineIndex)
  }

  /// The position in the sequence, from 1.
  let number: Int64
  let change: Change
  /// The schema version after this migration; nil if it does not change.
  let schemaVersion: Int64?

  /// - Parameter schemaVersion: The schema version after this migration; nil if programs that do not know the migration
  ///   can still work.
  init(number: Int64, statements: String, schemaVersion: Int64? = nil) {
    self.number = number
    self.change = .statements(statements)
    self.schemaVersion = schemaVersion
  }

  init(number: Int64, backfill: Backfill) {
    self.number = number
    self.change = .backfill(backfill)
    self.schemaVersion = nil
  }

  init(number: Int64, index: OnlineIndex) {
    self.number = number
    self.change = .index(index)
    self.schemaVersion = nil
  }

  /// What the migration does in a new database, which has no rows.
  var creation: String {
    switch self.change {
    case .statements(let statements): statements
    case .backfill: ""
    case .index(let index): index.creation
    }
  }

  /// The statements, and the record that the migration was applied. Before this script runs, a backfill must have
  /// changed all rows, or the index must exist.
  var script: String {
    if case .statements(let statements) = self.change { self.script(statements) } else { self.script("") }
  }

  /// What the migration does in a new database, and the record that it was applied.
  var creationScript: String { self.script(self.creation) }

  private func script(_ statements: String) -> String {
    """
    SET LOCAL search_path = sallyport, pg_temp;
    \(statements)
    \(self.schemaVersion.map { "UPDATE schema_version SET version = \($0);" } ?? "")
    INSERT INTO migration (number) VALUES (\(self.number));
    """
  }
}

extension Schema {
  /// The channel on which triggers send a notification when a client, a signing key, or an upstream changes.
  static let channel = "sallyport_configuration"

  /// The migrations of this version of Sallyport.
  static let migrations = [
    Migration(
      number: 1,
      statements: """
        CREATE TABLE migration (number BIGINT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now());
        -- Servers listen for changes to clients and signing keys.
        CREATE OR REPLACE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE sallyport.configuration SET version = version + 1;
          NOTIFY \(Schema.channel);
          RETURN NULL;
        END $$;
        """),
    Migration(
      number: 2,
      statements: """
        -- The browser of each session, for the account page.
        ALTER TABLE browser_session ADD COLUMN user_agent \(Schema.text), ADD COLUMN address \(Schema.text);
        -- Clients must also be notified when an account is removed.
        ALTER TABLE logout_delivery DROP CONSTRAINT logout_delivery_account_id_fkey;
        DROP INDEX logout_delivery_account;
        """),
    Migration(number: 3, statements: passkeys),
    Migration(number: 4, statements: secondFactors),
    Migration(number: 5, statements: mail),
    Migration(
      number: 6,
      index: OnlineIndex(
        name: "account_verified_email", table: "account",
        definition: "(lower(email), created_at, id) WHERE email_verified_at IS NOT NULL")),
    Migration(number: 7, statements: "ALTER TABLE account ADD COLUMN language \(Schema.text);"),
    Migration(number: 8, statements: signUp),
    Migration(number: 9, statements: upstreams),
    Migration(number: 10, statements: publicDevices),
    Migration(number: 11, statements: upstreamSessions),
    Migration(
      number: 12,
      index: OnlineIndex(
        name: "browser_session_upstream_subject", table: "browser_session",
        definition: "(upstream_subject, upstream_issuer) WHERE upstream_subject IS NOT NULL")),
    Migration(
      number: 13,
      index: OnlineIndex(
        name: "browser_session_upstream_sid", table: "browser_session",
        definition: "(upstream_sid, upstream_issuer) WHERE upstream_sid IS NOT NULL")),
    Migration(number: 14, statements: codeExpiry),
    Migration(number: 15, index: codeExpiryIndex),
    Migration(number: 16, statements: "DROP INDEX authorization_code_unused;"),
  ]

  /// What a database contains.
  enum State {
    /// The database does not have the schema.
    case absent
    /// - Parameter migration: The number of the last migration that was applied; 0 for none.
    case present(migration: Int64)
  }

  /// Whether all migrations were applied.
  func isCurrent(_ state: State) -> Bool {
    if case .present(let migration) = state { migration >= self.migrations.last?.number ?? 0 } else { false }
  }

  /// The SQL with which an administrator creates the schema, with all migrations, in a database that does not have it.
  /// - Parameter role: A role that gets the rights that a server needs; nil to grant nothing.
  static func creation(grantingTo role: String?) -> String {
    (["BEGIN;", self.script] + self.migrations.map(\.creationScript) + (role.map { [self.grants(to: $0)] } ?? []) + ["COMMIT;"])
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
