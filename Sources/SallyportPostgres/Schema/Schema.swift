/// The schema of the database. Its tables correspond to the tables of `SallyportSQLite`, except for the tables that
/// store the version and the migrations of the schema.
///
/// Text is compared byte by byte, as in SQLite. Identifiers of audit records begin with the time, so the index of the
/// identifiers grows only at its end. Identifiers of grants begin with the account's shard (one of 4,096 parts), so
/// concurrent transactions add grants to different pages of an index (``GrantOrder/shard``).
struct Schema {
  /// The highest schema version that this program can work with. A migration that removes tables or columns raises the
  /// version of the database. A program that no longer uses them can already allow the higher version, even if only a
  /// later program contains the migration.
  let version: Int64
  /// All migrations in the order in which they are applied.
  let migrations: [Migration]

  /// The schema of this version of Sallyport.
  static let current = Schema(version: 1, migrations: Self.migrations)

  /// Creates the first version of the schema in an empty database.
  static let script = """
    CREATE SCHEMA IF NOT EXISTS sallyport;
    SET LOCAL search_path = sallyport, pg_temp;
    CREATE TABLE schema_version (id BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (id), version BIGINT NOT NULL);
    INSERT INTO schema_version (version) VALUES (1);
    \(Self.rejection)
    \(Self.configurationTables)
    \(Self.clientTables)
    \(Self.sessionTables)
    \(Self.grantTables)
    \(Self.requestTables)
    \(Self.auditTable)
    """

  /// The type of text columns.
  static let text = #"TEXT COLLATE "C""#

  /// A trigger function that rejects a change. The trigger's argument is the message of the error, and the SQLSTATE is
  /// `ConnectionError.Rejection.brokenRule`.
  private static let rejection = """
    CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = '23000', MESSAGE = TG_ARGV[0]; END $$;
    """

  /// A trigger that rejects updates of some columns of a row, or of all columns if `columns` is nil.
  /// - Parameter condition: The SQL condition under which an update is rejected; nil to reject every update.
  static func rejectUpdate(_ name: String, of columns: String?, on table: String, when condition: String?, _ message: String)
    -> String
  {
    """
    CREATE TRIGGER \(name) BEFORE UPDATE \(columns.map { "OF \($0) " } ?? "")ON \(table)
      FOR EACH ROW \(condition.map { "WHEN (\($0)) " } ?? "")EXECUTE FUNCTION reject('\(message)');
    """
  }
}
