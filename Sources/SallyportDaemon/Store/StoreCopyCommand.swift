import ArgumentParser
import SallyportPostgres
import SallyportSQLite
import SallyportServer

/// `sallyportd store copy`: copies an installation from SQLite to PostgreSQL, or back.
struct StoreCopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy all data from SQLite to PostgreSQL, or back.",
    discussion: """
      One of --from and --to is a data directory, and the other is the URL of a PostgreSQL database. Stop all servers and commands that
      use either database. The target must be empty or contain an interrupted copy, which is then continued. All rows are compared at the end.
      Sessions, grants, and tokens stay valid. Both databases need the same key file: the data directory must contain it. The role in the
      URL must own the schema.
      The exit code is 0 if both databases have the same content.
      """)
  @Option(help: ArgumentHelp("The data directory or URL to copy from.", valueName: "source")) var from: String
  @Option(help: ArgumentHelp("The data directory or URL to copy to.", valueName: "target")) var to: String

  func run() async throws {
    let isFromPostgres = PostgresAddress.isPostgresURL(self.from)
    let isToPostgres = PostgresAddress.isPostgresURL(self.to)
    guard isFromPostgres != isToPostgres else {
      throw SettingsMistakes(list: ["one of --from and --to must be a data directory, and the other a PostgreSQL URL"])
    }
    let (folder, url) = isFromPostgres ? (self.to, self.from) : (self.from, self.to)
    let key = try Self.lock(folder)
    let postgres = try await Self.openPostgres(url)
    defer { postgres.close() }
    let sqlite = try Self.openSQLite(in: folder, mustExist: isToPostgres)
    try await Self.checkKeys(of: isFromPostgres ? postgres : sqlite, key)
    try await Self.copy(from: isFromPostgres ? postgres : sqlite, to: isFromPostgres ? sqlite : postgres)
    do throws(StoreError) { try sqlite.close() } catch { throw Failure("cannot close the database: \(error.reason)") }
  }

  private static func copy(from source: any CopyableStore, to target: any CopyableStore) async throws(Failure) {
    var rows = 0
    do throws(StoreCopyError) {
      try await StoreCopy(from: source, to: target).run { table, count in
        rows += count
        if count > 0 { Console.print("\(table)\t\(count)") }
      }
    } catch {
      throw Failure(error.explanation)
    }
    Console.printMessage("copied \(rows) rows; the number and the digest of the rows of each table match")
  }

  private static func openPostgres(_ url: String) async throws -> PostgresStore {
    let address: PostgresAddress
    do throws(StoreError) { address = try PostgresAddress(url) } catch { throw SettingsMistakes(list: [error.reason]) }
    let store = PostgresStore(address)
    do throws(StoreError) { try await store.connect() } catch {
      store.close()
      throw Failure("cannot use the PostgreSQL database: \(error.reason)", isPermanent: error.isPermanent)
    }
    return store
  }

  /// Locks a data directory, so that no server uses it.
  /// - Returns: The key in its key file.
  private static func lock(_ folder: String) throws(Failure) -> MasterKey {
    guard let key = try KeyFile(path: "\(folder)/\(DataFiles.key)").read() else {
      throw Failure("\(folder) contains no key file; first copy the key file of the source's server into it")
    }
    try FileSystem.requirePrivate(folder)
    try DataLock.lockExclusive(folder)
    try DataLock.requireCompleteRestore(folder)
    return key
  }

  private static func openSQLite(in folder: String, mustExist: Bool) throws(Failure) -> SQLiteStore {
    let path = "\(folder)/\(DataFiles.database)"
    guard !mustExist || FileSystem.exists(path) else { throw Failure("\(folder) contains no database \(DataFiles.database)") }
    FileSystem.letSQLiteUse(folder)
    do throws(StoreError) { return try SQLiteStore(path: path) } catch {
      throw Failure("cannot open \(path): \(error.reason)", isPermanent: error.isPermanent)
    }
  }

  /// Checks that the key file decrypts the signing keys of the source.
  private static func checkKeys(of store: any Store, _ key: MasterKey) async throws {
    let sealer = KeySealer(key)
    let keys = try await store.read { (snapshot) throws(StoreError) in try snapshot.signingKeys() }
    guard keys.allSatisfy({ (try? sealer.open($0)) != nil }) else {
      throw Failure(
        "the key file in the data directory cannot decrypt the signing keys of the source; use the key file of its server")
    }
  }
}

extension StoreCopyError {
  fileprivate var explanation: String {
    switch self {
    case .targetHasOtherData:
      "the target contains data that is not part of this copy; use an empty database, or remove the data and try again"
    case .sourceChanged(let table):
      "the copy of '\(table)' differs from the original, because a server still uses one of the databases; stop all servers, empty the target, and try again"
    case .store(let error): "the data cannot be copied: \(error.reason)"
    }
  }
}
