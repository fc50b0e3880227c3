import GRDB
public import SallyportServer

/// What a look at a database file finds, without changing anything in it.
public struct DatabaseCondition: Sendable, Equatable {
  /// Who wrote the schema.
  public enum Version: Sendable, Equatable {
    case current
    /// An earlier version; opening the database brings it up to date.
    case older
    /// A later version, with which alone the database can be used.
    case newer
    /// Nobody that is known: this is no database of Sallyport.
    case foreign
  }

  public var version: Version
  /// What SQLite found to be damaged, a line each.
  public var damage: [String] = []
  /// All signing keys that are kept; empty where the database is damaged, newer or foreign.
  public var signingKeys: [SigningKeyRecord] = []

  init(version: Version, damage: [String] = [], signingKeys: [SigningKeyRecord] = []) {
    self.version = version
    self.damage = damage
    self.signingKeys = signingKeys
  }

  /// Looks at a file, which others may be using.
  /// - Parameter thoroughly: whether every index is compared with its table too.
  /// - Throws: ``StoreError/unavailable(reason:)`` where it cannot be read at all.
  public init(ofDatabase path: String, thoroughly: Bool) throws(StoreError) {
    let file = try DatabaseFile(path: path).openReader()
    self = try storing {
      defer { try? file.close() }
      return try file.read { db in try DatabaseCondition(db, thoroughly: thoroughly) }
    }
  }

  private init(_ db: Database, thoroughly: Bool) throws {
    self.version = try Self.version(db)
    let check = thoroughly ? "PRAGMA integrity_check(10)" : "PRAGMA quick_check(10)"
    self.damage = try String.fetchAll(db, sql: check).filter { $0 != "ok" }
    let orphans = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
    if !orphans.isEmpty { self.damage.append("\(orphans.count) rows refer to rows that are not there") }
    guard self.damage.isEmpty, self.version == .current || self.version == .older else { return }
    self.signingKeys = try SQLiteSnapshot(db: db).signingKeys()
  }

  private static func version(_ db: Database) throws -> Version {
    let migrator = Schema.migrations
    // The first migration makes the table of the keys.
    guard let first = migrator.migrations.first, try migrator.appliedIdentifiers(db).contains(first) else { return .foreign }
    if try migrator.hasBeenSuperseded(db) { return .newer }
    return try migrator.hasCompletedMigrations(db) ? .current : .older
  }
}
