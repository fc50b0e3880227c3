import GRDB
import SallyportServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens the file with the modes, the settings and the schema that the store relies on.
struct DatabaseFile {
  let path: String
  /// How long a connection waits for another process's lock.
  var patience: Duration = .seconds(10)

  func open() throws(StoreError) -> DatabasePool {
    try self.makeFiles()
    // Of several processes that start at once, one sets up the file and the others find it done.
    let lock = try FileLock(path: self.path + "-lock")
    defer { lock.release() }
    return try storing {
      do {
        let pool = try DatabasePool(path: self.path, configuration: self.configuration())
        try pool.writeWithoutTransaction { db in try Self.setUp(db) }
        try Schema.migrate(pool)
        return pool
      } catch let error as DatabaseError {
        throw StoreError(opening: error)
      }
    }
  }

  /// Opens one more connection, that only reads, to the file that ``open()`` has made.
  func openReader() throws(StoreError) -> DatabaseQueue {
    try storing {
      var configuration = self.configuration()
      configuration.readonly = true
      let connection = try DatabaseQueue(path: self.path, configuration: configuration)
      try connection.unsafeRead { db in try db.execute(sql: "PRAGMA trusted_schema = OFF") }
      return connection
    }
  }

  /// Opens one more connection beside the pool's. It waits for the disk as the writer does: what is committed, or leaves the log for the file,
  /// has to be there.
  func openWriter() throws(StoreError) -> DatabaseQueue {
    try storing {
      let connection = try DatabaseQueue(path: self.path, configuration: self.configuration())
      try connection.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
      }
      return connection
    }
  }

  /// SQLite gives `-wal` and `-shm` the mode of the file itself.
  private func makeFiles() throws(StoreError) {
    let directory = self.path.lastIndex(of: "/").map { String(self.path[..<$0]) } ?? ""
    if !directory.isEmpty, mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system("cannot make the data directory") }
    // `openat`, since this type has an `open` of its own.
    let file = openat(AT_FDCWD, self.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
      return
    }
    guard errno == EEXIST else { throw .system("cannot make the database") }
    // By name: closing a descriptor of an open database would release this process's locks on it.
    guard chmod(self.path, 0o600) == 0 else { throw .system("cannot protect the database") }
  }

  private func configuration() -> Configuration {
    SQLiteLibrary.preparation
    let patience = self.patience
    var configuration = Configuration()
    configuration.label = "sallyport"
    configuration.maximumReaderCount = 4
    // Short waits of random length: SQLite's lock is not a queue, and its own handler's long waits starve beside a busy process.
    configuration.busyMode = .callback { tries in
      usleep(UInt32.random(in: 500...2_500))
      return tries < Int(patience / .microseconds(1_500))
    }
    return configuration
  }

  /// GRDB sets `synchronous` to NORMAL when the pool is open, so this comes after, and is verified: with NORMAL the last
  /// commits before a power cut would be lost.
  private static func setUp(_ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL")
    guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
      throw StoreError.unavailable(reason: "SQLite did not take synchronous=FULL")
    }
    guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
      throw StoreError.unavailable(reason: "SQLite did not take journal_mode=WAL: is the file on a network drive?")
    }
    guard try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true else {
      throw StoreError.unavailable(reason: "SQLite did not take foreign_keys=ON")
    }
    // The log is brought into the file by `Checkpointer`, and by SQLite's own way where that falls behind: a process that dies early writes
    // less than what the former begins at, and leaves its part of the log to the next.
    try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864")
  }
}

extension StoreError {
  static func system(_ what: String) -> StoreError {
    .unavailable(reason: "\(what): \(String(cString: strerror(errno)))")
  }
}
