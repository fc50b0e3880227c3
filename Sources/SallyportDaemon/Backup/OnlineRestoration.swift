import SallyportSQLite
import SallyportServer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The way of a backup into a data directory whose server goes on: staged beside, checked, and written into the live database as one
/// transaction. Whoever reads sees all of the old or all of the new, and an interruption leaves the old.
struct OnlineRestoration {
  let data: String
  private var database: String { "\(self.data)/\(DataFiles.database)" }
  /// The running servers have read it, so it stays.
  var key: KeyFile { KeyFile(path: "\(self.data)/\(DataFiles.key)") }

  /// Enters among those who use the directory, and looks whether what is there can be replaced under them.
  func prepare() throws(Failure) {
    guard PrivateFiles.exists(self.database), PrivateFiles.exists(self.key.path) else {
      throw Failure("there is no server's data in \(self.data); restore without --online")
    }
    try PrivateFiles.refuseOthers(self.data)
    try DataLock.share(self.data)
    self.removeLeftovers()
    let condition: DatabaseCondition
    do { condition = try DatabaseCondition(ofDatabase: self.database, thoroughly: false) } catch {
      throw Failure("\(self.database) cannot be read: \(error.reason); stop the server and restore without --online")
    }
    guard condition.damage.isEmpty else {
      throw Failure("\(self.database) is damaged; stop the server and restore without --online", isLasting: true)
    }
    guard condition.version == .current else {
      throw Failure("\(self.database) is of another version than this program, so who runs on it would not know the restored one")
    }
  }

  /// Where the new files are made: each restore has a folder of its own.
  var staged: String { "\(self.data)/\(Self.stagedPrefix)\(getpid())" }
  private static let stagedPrefix = "\(DataFiles.staged)-"

  private func removeLeftovers() {
    for name in PrivateFiles.names(in: self.data) where name.hasPrefix(Self.stagedPrefix) {
      guard let process = pid_t(name.dropFirst(Self.stagedPrefix.count)), kill(process, 0) != 0, errno == ESRCH else { continue }
      PrivateFiles.removeFolder("\(self.data)/\(name)")
    }
  }

  /// - Returns: where what was there is kept.
  func putInPlace(_ staged: StagedBackup) throws(Failure) -> String {
    defer { PrivateFiles.removeFolder(staged.files.path) }
    let aside = BackupFolder(path: try ReplacedFolder.make(in: self.data))
    do throws(Failure) {
      try self.key.copy(to: aside.key)
      do { try SQLiteStore.replaceContent(of: self.database, by: staged.files.database, keeping: aside.database) } catch {
        throw Failure("the backup was not put in place, and nothing has changed: \(error.reason)")
      }
    } catch {
      PrivateFiles.removeFolder(aside.path)
      throw error
    }
    try PrivateFiles.sync(folder: aside.path)
    try PrivateFiles.sync(folder: self.data)
    return aside.path
  }
}
