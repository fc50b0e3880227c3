import SallyportSQLite
import SallyportServer

/// Restores a backup into the data directory of a running server. The backup is copied to a staging folder in the
/// directory, checked, and written into the live database in one transaction. Each transaction of the server sees
/// either the old or the new data. If the restore is interrupted before the commit, the old data stays in use.
///
/// The running server keeps its key file and signing keys. The server has already read the key file, and a signing key
/// that was withdrawn after the backup must not sign again.
struct OnlineRestoration {
  /// The path of the data directory.
  let data: String
  private var database: String { "\(self.data)/\(DataFiles.database)" }
  private var key: KeyFile { KeyFile(path: "\(self.data)/\(DataFiles.key)") }

  /// Takes a shared lock on the directory, checks that its data can be replaced, and stages the new data.
  func stage(_ backup: BackupFolder, revokingGrants: Bool) async throws -> StagedBackup {
    guard FileSystem.exists(self.database), FileSystem.exists(self.key.path) else {
      throw Failure("\(self.data) contains no database or no key file; restore without --online")
    }
    try FileSystem.requirePrivate(self.data)
    try DataLock.lockShared(self.data)
    try StagingFolder.removeLeftovers(in: self.data)
    let live = try self.condition()
    return try await StagedBackup(
      of: backup, key: self.key, in: self.data, signingKeys: live.signingKeys, revokingGrants: revokingGrants)
  }

  /// Reads the condition of the live database. Throws if its data cannot be replaced.
  private func condition() throws(Failure) -> DatabaseCondition {
    let condition: DatabaseCondition
    do { condition = try DatabaseCondition(ofDatabase: self.database, thoroughly: false) } catch {
      throw Failure("\(self.database) cannot be read: \(error.reason); stop the server and restore without --online")
    }
    guard condition.damage.isEmpty else {
      throw Failure("\(self.database) is damaged; stop the server and restore without --online", isPermanent: true)
    }
    guard condition.version == .current else {
      throw Failure(
        "\(self.database) has a different schema version than this program; use the sallyportd version of the running server",
        isPermanent: true)
    }
    return condition
  }

  /// Replaces the data. Before anything is replaced, a complete copy of the old data is on disk under its final name.
  /// - Returns: The folder that contains the old data.
  func install(_ staged: StagedBackup) throws(Failure) -> String {
    defer { staged.folder.remove() }
    let oldData = try StagingFolder(in: self.data)
    // Removes nothing if the folder was moved to its final name.
    defer { oldData.remove() }
    let copy = BackupFolder(path: oldData.path)
    var name = ""
    do {
      try self.key.copy(to: copy.key)
      // The closure runs before the content is replaced, while no connection can write.
      try SQLiteStore.replaceContent(of: self.database, by: staged.files.database) {
        // The backup was staged with the keys of that time. A rotation since then must not be undone.
        guard try SQLiteStore.signingKeys(of: self.database) == staged.signingKeys else {
          throw Failure("the server's signing keys have changed since the restore began; run the command again")
        }
        try SQLiteStore.copy(self.database, to: copy.database)
        name = ReplacedFolder.name(in: self.data)
        try oldData.move(to: name)
      }
    } catch {
      // Nothing was replaced, so the copy of the old data is not needed.
      if !name.isEmpty { FileSystem.removeFolder(name) }
      let reason = (error as? StoreError)?.reason ?? (error as? Failure)?.message ?? "\(type(of: error))"
      throw Failure("the backup was not restored, and nothing has changed: \(reason)")
    }
    return name
  }
}
