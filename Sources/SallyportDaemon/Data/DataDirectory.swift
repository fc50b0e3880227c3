// On Linux, the compiler can attribute the members of `stat` to CoreFoundation, so this import is required.
import CoreFoundation
import Glibc
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// The server's data directory with `sallyport.db` and `key`. Only its owner can access it.
struct DataDirectory: Sendable {
  let store: SQLiteStore
  let masterKey: MasterKey

  /// Opens the directory under a shared lock. Creates the directory and its files if they do not exist.
  init(path: String) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure("cannot create the data directory \(path): \(FileSystem.systemError)")
    }
    try FileSystem.requirePrivate(path)
    try DataLock.lockShared(path)
    let (key, database) = (KeyFile(path: "\(path)/\(DataFiles.key)"), "\(path)/\(DataFiles.database)")
    if FileSystem.exists(database), !FileSystem.exists(key.path) {
      Console.printMessage(
        """
        sallyportd: the data directory \(path) contains a database but no key file. A new key file is created, but the stored signing keys \
        cannot be read with it. If you have the old key file, stop the server, restore the file, and start the server again.
        """)
    }
    self.masterKey = try key.readOrMake()
    do { self.store = try SQLiteStore(path: database) } catch {
      throw Failure("cannot open the database in \(path): \(error.reason)", isPermanent: error.isPermanent)
    }
  }
}

extension StoreError {
  /// The cause, in words for the operator.
  var reason: String {
    switch self {
    case .unavailable(let reason), .unusable(let reason): reason
    case .conflict, .rolledBack: "\(self)"
    }
  }

  /// Whether the error persists until the operator repairs the data.
  var isPermanent: Bool {
    if case .unusable = self { true } else { false }
  }
}
