import GRDB
public import SallyportServer

/// The result of checking a database file without changing it.
public struct DatabaseCondition: Sendable, Equatable {
  /// How the version of the schema compares with the version that this program uses.
  public enum Version: Sendable, Equatable {
    case current
    /// An earlier version. Opening the database migrates it.
    case older
    /// A later version. Only a newer Sallyport can use the database.
    case newer
    /// Not a Sallyport database.
    case foreign
  }

  public var version: Version
  /// Descriptions of the damage: the first ten problems that SQLite found, and the number of rows that refer to rows
  /// that do not exist. Empty if there is no damage.
  public var damage: [String] = []
  /// All stored signing keys. Empty if the database is damaged, newer, or foreign.
  public var signingKeys: [SigningKeyRecord] = []

  init(version: Version, damage: [String] = [], signingKeys: [SigningKeyRecord] = []) {
    self.version = version
    self.damage = damage
    self.signingKeys = signingKeys
  }

  /// Checks a database file, which may be in use.
  /// - Parameter thoroughly: Whether to also compare each index with its table, which takes longer.
  /// - Throws: ``StoreError/unavailable(reason:)`` if the file cannot be read.
  public init(ofDatabase path: String, thoroughly: Bool) throws(StoreError) {
    let file = try DatabaseFile(path: path).openReader()
    self = try convertingErrors {
      defer { try? file.close() }
      return try file.read { db in try DatabaseCondition(db, thoroughly: thoroughly) }
    }
  }

  private init(_ db: Database, thoroughly: Bool) throws {
    self.version = try Self.version(db)
    let check = thoroughly ? "PRAGMA integrity_check(10)" : "PRAGMA quick_check(10)"
    self.damage = try String.fetchAll(db, sql: check).filter { $0 != "ok" }
    let orphans = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
    if !orphans.isEmpty { self.damage.append("references to missing rows: \(orphans.count)") }
    guard self.damage.isEmpty, self.version == .current || self.version == .older else { return }
    self.signingKeys = try SQLiteSnapshot(db: db).signingKeys()
  }

  private static func version(_ db: Database) throws -> Version {
    let migrator = Schema.migrations
    // Every Sallyport database has the first migration, which creates the table of signing keys.
    guard let first = migrator.migrations.first, try migrator.appliedIdentifiers(db).contains(first) else { return .foreign }
    if try migrator.hasBeenSuperseded(db) { return .newer }
    return try migrator.hasCompletedMigrations(db) ? .current : .older
  }
}
