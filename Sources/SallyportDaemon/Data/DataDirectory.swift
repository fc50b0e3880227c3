import Glibc
import SallyportProtocol
import SallyportPostgres
import SallyportSQLite
import SallyportServer

/// The server's data directory with `sallyport.db` and `key`. Only its owner can access it. If the database is in
/// PostgreSQL, the directory contains no `sallyport.db`.
struct DataDirectory: Sendable {
  /// The open database.
  enum Database: Sendable {
    case sqlite(SQLiteStore)
    case postgres(PostgresStore)
  }

  let database: Database
  let masterKey: MasterKey

  var store: any Store {
    switch self.database {
    case .sqlite(let store): store
    case .postgres(let store): store
    }
  }

  /// Opens the directory under a shared lock. Creates the directory and its files if they do not exist.
  /// - Parameters:
  ///   - address: The address of a PostgreSQL database; nil for the SQLite database in the directory. A PostgreSQL
  ///     database is not contacted until ``connect()`` or the first use.
  ///   - replacesLostKey: Whether to create a key file if there is a SQLite database without one. The new file cannot
  ///     decrypt the signing keys in the database, so the caller must replace them.
  init(path: String, database address: PostgresAddress? = nil, replacesLostKey: Bool = false) throws {
    guard let address else {
      try self.init(withSQLiteAt: path, replacesLostKey: replacesLostKey)
      return
    }
    try self.init(path: path, store: PostgresStore(address))
  }

  /// Opens a directory after connecting to its PostgreSQL database. Creates the directory and its key file only if the
  /// database has no signing keys yet, because a new key file cannot decrypt existing keys.
  /// - Parameter replacesLostKey: Whether to create a key file even if the database has signing keys. The caller must
  ///   replace the signing keys.
  /// - Throws: A failure if the database cannot be used. Without `replacesLostKey`, also if the database has signing
  ///   keys, but the directory has no key file.
  static func open(path: String, connectingTo store: PostgresStore, replacesLostKey: Bool) async throws -> DataDirectory {
    try await Self.connect(store)
    let key = "\(path)/\(DataFiles.key)"
    if !FileSystem.exists(key), !replacesLostKey {
      let keys = try await store.read { (tx) throws(StoreError) in try tx.signingKeys() }
      guard keys.isEmpty else {
        throw Failure(
          """
          \(path) contains no key file, but the database has signing keys; copy the key file of a server that uses this database \
          to \(key); \(KeyFile.adviceIfLost)
          """, isPermanent: true)
      }
    }
    return try DataDirectory(path: path, store: store)
  }

  /// Opens a directory whose database is in PostgreSQL. Creates the directory and its key file if they do not exist.
  init(path: String, store: PostgresStore) throws {
    try Self.prepareFolder(path)
    self.masterKey = try KeyFile(path: "\(path)/\(DataFiles.key)").readOrMake()
    self.database = .postgres(store)
  }

  private init(withSQLiteAt path: String, replacesLostKey: Bool) throws {
    try Self.prepareFolder(path)
    let (key, database) = (KeyFile(path: "\(path)/\(DataFiles.key)"), "\(path)/\(DataFiles.database)")
    // The database must be looked for before the key file. Another server that starts at the same time creates the key
    // file first, so if its database is found here, its key file is found too.
    if FileSystem.exists(database), !FileSystem.exists(key.path), !replacesLostKey {
      throw Failure(
        "\(path) contains a database but no key file; restore the key file; \(KeyFile.adviceIfLost)", isPermanent: true)
    }
    self.masterKey = try key.readOrMake()
    FileSystem.letSQLiteUse(path)
    do { self.database = .sqlite(try SQLiteStore(path: database)) } catch {
      throw Failure("cannot open the database in \(path): \(error.reason)", isPermanent: error.isPermanent)
    }
  }

  private static func prepareFolder(_ path: String) throws(Failure) {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure("cannot create the data directory \(path): \(FileSystem.systemError)")
    }
    try FileSystem.requirePrivate(path)
    try DataLock.lockShared(path)
  }

  /// Connects to a PostgreSQL database, and creates or migrates its schema. Does nothing for a SQLite database, which
  /// is already open.
  func connect() async throws(Failure) {
    guard case .postgres(let store) = self.database else { return }
    try await Self.connect(store)
  }

  /// Closes the database. The last process that closes a SQLite database moves the content of the write-ahead log into
  /// `sallyport.db`.
  func close() {
    switch self.database {
    // This fails if a read still runs. The recent commits then stay in the write-ahead log, and the next process reads
    // them there.
    case .sqlite(let store): try? store.close()
    case .postgres(let store): store.close()
    }
  }

  private static func connect(_ store: PostgresStore) async throws(Failure) {
    do throws(StoreError) { try await store.connect() } catch {
      let advice =
        error.isPermanent
        ? ""
        : "; check that PostgreSQL runs and accepts connections from this machine, and that the database URL names the primary"
      throw Failure("cannot use the PostgreSQL database: \(error.reason)\(advice)", isPermanent: error.isPermanent)
    }
  }

  /// Checks that the key file decrypts the signing keys in the database. The check fails, for example, if the servers
  /// of a PostgreSQL database have different key files, or if a SQLite database and the key file are from different
  /// backups.
  func checkKeyFile() async throws {
    let records = try await self.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
    do { _ = try KeyRing(records, sealer: KeySealer(self.masterKey), at: .now()) } catch KeyRingError.cannotOpen {
      let remedy =
        if case .postgres = self.database { "copy the key file of the server that created them" } else {
          "restore the key file that was in use when they were created"
        }
      throw Failure(
        "the key file cannot decrypt the signing keys in the database; \(remedy); \(KeyFile.adviceIfLost)", isPermanent: true)
    }
  }
}

extension StoreError {
  /// The cause, in words for the operator.
  var reason: String {
    switch self {
    case .unavailable(let reason), .outcomeUnknown(let reason), .unusable(let reason): reason
    case .conflict, .rolledBack: "\(self)"
    }
  }

  /// Whether the error persists until an operator solves the problem.
  var isPermanent: Bool {
    if case .unusable = self { true } else { false }
  }
}
