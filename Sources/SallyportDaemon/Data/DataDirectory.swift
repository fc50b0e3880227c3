import SallyportProtocol
import SallyportSQLite
import SallyportServer

#if canImport(CoreFoundation)
  // On Linux, the members of `stat` can come from this module, which must then be imported.
  import CoreFoundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The server's data directory with `sallyport.db` and `key`. Only its owner can access it.
struct DataDirectory: Sendable {
  let store: SQLiteStore
  let masterKey: MasterKey

  init(path: String) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure("cannot make the data directory \(path): \(PrivateFiles.systemError)")
    }
    try PrivateFiles.refuseOthers(path)
    try DataLock.share(path)
    let (key, database) = (KeyFile(path: "\(path)/\(DataFiles.key)"), "\(path)/\(DataFiles.database)")
    if PrivateFiles.exists(database), !PrivateFiles.exists(key.path) {
      Console.say(
        """
        sallyportd: there is a database in \(path) and no key file, so a new key is made, and the signing keys that are stored cannot be \
        read; if the old key file still exists, stop the server, put it back and start again
        """)
    }
    self.masterKey = try key.readOrMake()
    do { self.store = try SQLiteStore(path: database) } catch {
      throw Failure("cannot open the database in \(path): \(error.reason)", isLasting: error.isLasting)
    }
  }
}

extension StoreError {
  /// The cause, in words for the operator.
  var reason: String {
    switch self {
    case .unavailable(let reason), .unusable(let reason): reason
    case .conflict, .refused: "\(self)"
    }
  }

  /// Whether the error persists until the operator repairs the data.
  var isLasting: Bool {
    if case .unusable = self { true } else { false }
  }
}
