import GRDB
import SallyportServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens the database file with the permissions, settings, and schema that the store requires.
struct DatabaseFile {
  let path: String
  /// How long a connection waits for the lock of another process.
  var lockTimeout: Duration = .seconds(10)

  func open() throws(StoreError) -> DatabasePool {
    try self.makeFiles()
    // If several processes start at once, one of them sets up the file and the others wait.
    let lock = try FileLock(path: self.path + "-lock")
    defer { lock.release() }
    return try convertingErrors {
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

  /// Opens a read-only connection to an existing file.
  /// - Parameter busy: How long the connection waits for locks. By default, it waits for at most ``lockTimeout``, like
  ///   a writer.
  func openReader(_ busy: BusyWait? = nil) throws(StoreError) -> DatabaseQueue {
    try convertingErrors {
      var configuration = self.configuration()
      configuration.readonly = true
      if let busy { configuration.busyMode = busy.mode }
      let connection = try DatabaseQueue(path: self.path, configuration: configuration)
      try connection.unsafeRead { db in try db.execute(sql: "PRAGMA trusted_schema = OFF") }
      return connection
    }
  }

  /// Opens a connection for writing, in addition to the pool's writer. Like the pool's writer, the connection uses
  /// `synchronous=FULL`, because its commits and checkpoints must survive a power failure.
  func openWriter() throws(StoreError) -> DatabaseQueue {
    try convertingErrors {
      let connection = try DatabaseQueue(path: self.path, configuration: self.configuration())
      try connection.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
      }
      return connection
    }
  }

  /// Creates the directory and the file if they do not exist. Sets the mode of an existing file, but not of an existing
  /// directory. SQLite gives `-wal` and `-shm` the mode of the database file.
  private func makeFiles() throws(StoreError) {
    let directory = self.path.lastIndex(of: "/").map { String(self.path[..<$0]) } ?? ""
    if !directory.isEmpty, mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system("cannot create the data directory") }
    // `openat` is used because `open` would refer to the method of this type.
    let file = openat(AT_FDCWD, self.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
      return
    }
    guard errno == EEXIST else { throw .system("cannot create the database") }
    // `chmod` is used instead of `fchmod`, because closing any descriptor of the file would release the locks that this
    // process holds on an open database.
    guard chmod(self.path, 0o600) == 0 else { throw .system("cannot set the permissions of the database") }
  }

  private func configuration() -> Configuration {
    let lockTimeout = self.lockTimeout
    var configuration = Configuration()
    configuration.label = "sallyport"
    configuration.busyMode = .callback { tries in
      BusyWait.pause()
      // A pause takes 1.5 ms on average.
      return tries < Int(lockTimeout / .microseconds(1_500))
    }
    return configuration
  }

  /// Sets and verifies the pragmas of the writer. GRDB sets `synchronous` to NORMAL when it opens the pool, which would
  /// lose the last commits in a power failure, so FULL is set afterward.
  private static func setUp(_ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL")
    guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else {
      throw StoreError.unavailable(reason: "SQLite did not accept synchronous=FULL")
    }
    guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
      throw StoreError.unavailable(reason: "SQLite did not accept journal_mode=WAL (the database must be on a local file system)")
    }
    guard try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true else {
      throw StoreError.unavailable(reason: "SQLite did not accept foreign_keys=ON")
    }
    // `Checkpointer` usually moves the log into the file. SQLite's automatic checkpoint, at 4,000 pages, is the
    // fallback if `Checkpointer` falls behind, or if short processes, such as commands, fill the log without ever
    // running it. After a checkpoint, SQLite shortens a longer log file to 64 MiB.
    try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864")
  }
}

extension StoreError {
  /// Creates an error for a system call that failed, from `errno`.
  /// - Parameter failure: What failed, such as "cannot open the lock file".
  static func system(_ failure: String) -> StoreError {
    .unavailable(reason: "\(failure): \(String(cString: strerror(errno)))")
  }
}
