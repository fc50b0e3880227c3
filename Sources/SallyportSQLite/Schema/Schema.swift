import GRDB
import SallyportServer

/// The versions of the schema. A released migration is never changed, so old names remain. To change the constraints of
/// a table, a migration creates a new table with the suffix `_anew`, copies the rows, and gives it the old name. See
/// docs/decisions/0041-migrations-forward-only.md.
enum Schema {
  static var migrations: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 accounts, clients and keys") { db in try db.execute(sql: Self.configurationTables) }
    migrator.registerMigration("2 sessions and grants") { db in try db.execute(sql: Self.grantTables) }
    migrator.registerMigration("3 protocols") { db in try db.execute(sql: Self.protocolTables) }
    migrator.registerMigration("4 pushed requests end with their interaction") { db in
      try db.execute(sql: "DROP TRIGGER pushed_request_stays_consumed; ALTER TABLE pushed_request DROP COLUMN consumed_at")
    }
    migrator.registerMigration("5 logout") { db in try db.execute(sql: Self.logoutTables) }
    migrator.registerMigration("6 audit") { db in try db.execute(sql: Self.auditTable) }
    migrator.registerMigration("7 indexes") { db in try db.execute(sql: Self.indexes) }
    migrator.registerMigration("8 less to write") { db in try db.execute(sql: Self.fewerIndexes) }
    migrator.registerMigration("9 a grant's code") { db in try db.execute(sql: Self.codeOfGrant) }
    migrator.registerMigration("10 numbered tokens") { db in try db.execute(sql: Self.numberedTokens) }
    migrator.registerMigration("11 browsers of sessions") { db in try db.execute(sql: Self.sessionBrowsers) }
    migrator.registerMigration("12 passkeys") { db in try db.execute(sql: Self.passkeys) }
    migrator.registerMigration("13 second factors") { db in try db.execute(sql: Self.secondFactors) }
    migrator.registerMigration("14 mail") { db in try db.execute(sql: Self.mail) }
    migrator.registerMigration("15 languages") { db in try db.execute(sql: "ALTER TABLE account ADD COLUMN language TEXT") }
    migrator.registerMigration("16 sign-up") { db in try db.execute(sql: Self.signUp) }
    migrator.registerMigration("17 upstreams") { db in try db.execute(sql: Self.upstreams) }
    migrator.registerMigration("18 public devices") { db in try db.execute(sql: Self.publicDevices) }
    migrator.registerMigration("19 sessions at upstreams") { db in try db.execute(sql: Self.upstreamSessions) }
    return migrator
  }

  /// Migrates the database.
  /// - Throws: ``StoreError/unusable(reason:)`` if the database has a migration that this version does not know,
  ///   because writing to it could break rules of the newer version.
  static func migrate(_ pool: DatabasePool) throws {
    let migrator = self.migrations
    // Checked on the writer's connection. The pool would otherwise open a reader, which nothing else uses and which
    // stays open.
    guard try !pool.writeWithoutTransaction(migrator.hasBeenSuperseded) else {
      throw StoreError.unusable(reason: "the database was written by a newer version of Sallyport; use that version")
    }
    try migrator.migrate(pool)
  }
}
