import SallyportSQLite
import SallyportServer

/// The way of a backup into a data directory whose server goes on: staged beside, checked, and written into the live database as one
/// transaction. Each transaction of the server sees all of the old or all of the new, and what is interrupted before the commit leaves the old.
///
/// The key file and the signing keys stay those of the running server: it has read the one, and one of the others that was withdrawn since the
/// backup must not sign again.
struct OnlineRestoration {
  let data: String
  private var database: String { "\(self.data)/\(DataFiles.database)" }
  private var key: KeyFile { KeyFile(path: "\(self.data)/\(DataFiles.key)") }

  /// Enters among those who use the directory, looks whether what is there can be replaced under them, and makes the new data beside it.
  func stage(_ backup: BackupFolder, endingGrants: Bool) async throws -> StagedBackup {
    guard PrivateFiles.exists(self.database), PrivateFiles.exists(self.key.path) else {
      throw Failure("there is no server's data in \(self.data); restore without --online")
    }
    try PrivateFiles.refuseOthers(self.data)
    try DataLock.share(self.data)
    try StagingFolder.removeLeftovers(in: self.data)
    let live = try self.condition()
    return try await StagedBackup(
      of: backup, key: self.key, in: self.data, signingKeys: live.signingKeys, endingGrants: endingGrants)
  }

  private func condition() throws(Failure) -> DatabaseCondition {
    let condition: DatabaseCondition
    do { condition = try DatabaseCondition(ofDatabase: self.database, thoroughly: false) } catch {
      throw Failure("\(self.database) cannot be read: \(error.reason); stop the server and restore without --online")
    }
    guard condition.damage.isEmpty else {
      throw Failure("\(self.database) is damaged; stop the server and restore without --online", isLasting: true)
    }
    guard condition.version == .current else {
      throw Failure(
        "\(self.database) is of another version than this program, and who runs on it would not know the restored one",
        isLasting: true)
    }
    return condition
  }

  /// What is kept aside is whole, on the disk and under its name before anything is replaced.
  /// - Returns: where that is.
  func putInPlace(_ staged: StagedBackup) throws(Failure) -> String {
    defer { staged.folder.remove() }
    let aside = try StagingFolder(in: self.data)
    defer { aside.remove() }
    let kept = BackupFolder(path: aside.path)
    var name = ""
    do {
      try self.key.copy(to: kept.key)
      try SQLiteStore.replaceContent(of: self.database, by: staged.files.database) {
        try SQLiteStore.copy(self.database, to: kept.database)
        name = ReplacedFolder.name(in: self.data)
        try aside.move(to: name)
      }
    } catch {
      if !name.isEmpty { PrivateFiles.removeFolder(name) }
      let reason = (error as? StoreError)?.reason ?? (error as? Failure)?.message ?? "\(type(of: error))"
      throw Failure("the backup was not put in place, and nothing has changed: \(reason)")
    }
    return name
  }
}
