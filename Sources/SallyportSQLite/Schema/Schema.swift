import GRDB
import SallyportServer

/// The schema's versions. A migration that was released is never changed, only followed by another.
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
    migrator.registerMigration("8 less to write") { db in try db.execute(sql: Self.lessToWrite) }
    migrator.registerMigration("9 a grant's code") { db in try db.execute(sql: Self.codeOfGrant) }
    migrator.registerMigration("10 numbered tokens") { db in try db.execute(sql: Self.numberedTokens) }
    return migrator
  }

  /// - Throws: ``StoreError/unusable(reason:)`` for a database with a migration that this version does not know: writing to
  ///   it could break rules which only the newer version knows.
  static func migrate(_ pool: DatabasePool) throws {
    let migrator = self.migrations
    // On the writer's connection: the pool's own readers are never used, and each that is opened stays.
    guard try !pool.writeWithoutTransaction(migrator.hasBeenSuperseded) else {
      throw StoreError.unusable(reason: "the database was written by a newer version of Sallyport; use that version")
    }
    try migrator.migrate(pool)
  }
}
