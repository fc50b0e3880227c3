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
  ///   - database: The address of a PostgreSQL database; nil for the SQLite database in the directory. A PostgreSQL
  ///     database is not contacted until ``connect()`` or the first use.
  ///   - limits: How many connections to a PostgreSQL database are used, and how long to wait for it.
  ///   - replacesLostKey: Whether to create a key file if there is a SQLite database without one. Its signing keys cannot be
  ///     read with the new file, so the caller must replace them.
  init(
    path: String, database address: PostgresAddress? = nil, limits: PostgresStore.Limits = PostgresStore.Limits(),
    replacesLostKey: Bool = false
  ) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure("cannot create the data directory \(path): \(FileSystem.systemError)")
    }
    try FileSystem.requirePrivate(path)
    try DataLock.lockShared(path)
    if let address {
      self.masterKey = try KeyFile(path: "\(path)/\(DataFiles.key)").readOrMake()
      self.database = .postgres(PostgresStore(address, limits: limits))
      return
    }
    let (key, database) = (KeyFile(path: "\(path)/\(DataFiles.key)"), "\(path)/\(DataFiles.database)")
    // Looks for the database before the key file, because a server that starts at the same time creates the key file first.
    guard !FileSystem.exists(database) || FileSystem.exists(key.path) || replacesLostKey else {
      throw Failure(
        "\(path) contains a database but no key file; restore the key file; \(KeyFile.adviceIfLost)", isPermanent: true)
    }
    self.masterKey = try key.readOrMake()
    do { self.database = .sqlite(try SQLiteStore(path: database)) } catch {
      throw Failure("cannot open the database in \(path): \(error.reason)", isPermanent: error.isPermanent)
    }
  }

  /// Connects to a PostgreSQL database, and creates or migrates its schema. Does nothing for a SQLite database, which
  /// is already open.
  func connect() async throws(Failure) {
    guard case .postgres(let store) = self.database else { return }
    do throws(StoreError) { try await store.connect() } catch {
      throw Failure("cannot use the PostgreSQL database: \(error.reason)", isPermanent: error.isPermanent)
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
