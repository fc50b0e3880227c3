import SallyportProtocol
import SallyportSQLite
import SallyportServer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What will be the new data: made of a backup, brought up to date and checked, in a folder of its own. Nothing that is used has changed yet.
struct StagedBackup {
  let folder: StagingFolder
  /// What may have been revoked since the backup was made.
  let ended: (sessions: Int, grants: Int)

  var files: BackupFolder { BackupFolder(path: self.folder.path) }

  /// - Parameters:
  ///   - key: fits the backup.
  ///   - signingKeys: take the place of the backup's; nil leaves those.
  init(
    of backup: BackupFolder, key: KeyFile, in data: String, signingKeys: [SigningKeyRecord]? = nil, endingGrants: Bool
  ) async throws {
    guard PrivateFiles.exists(backup.database) else {
      throw Failure("\(backup.path) has no \(DataFiles.database): is it a backup?")
    }
    guard let masterKey = try key.read() else { throw Failure("there is no key file \(key.path); name it with --key") }
    _ = try BackupFolder.checked(backup.database, with: masterKey)
    try backup.refuseChanges()
    self.folder = try StagingFolder(in: data)
    do {
      let (files, incoming) = (BackupFolder(path: self.folder.path), "\(self.folder.path)/incoming.db")
      try key.copy(to: files.key)
      try SQLiteStore.copy(backup.database, to: incoming)
      self.ended = try await Self.update(incoming, signingKeys, endingGrants: endingGrants)
      // Once more, since what was written rests in a log beside the file.
      try SQLiteStore.copy(incoming, to: files.database)
      for name in PrivateFiles.names(in: files.path) where name.hasPrefix("incoming.db") { unlink("\(files.path)/\(name)") }
      _ = try BackupFolder.checked(files.database, with: masterKey)
    } catch {
      self.folder.remove()
      if let error = error as? StoreError { throw Failure("the backup cannot be restored: \(error.reason)") }
      throw error
    }
  }

  /// Brings the schema up to date, and ends what may have been revoked.
  private static func update(
    _ database: String, _ signingKeys: [SigningKeyRecord]?, endingGrants: Bool
  ) async throws -> (sessions: Int, grants: Int) {
    let store = try SQLiteStore(path: database)
    defer { try? store.close() }
    return try await store.settleRestored(
      AuditRecord(.databaseRestored, from: .command, at: .now()), signingKeys: signingKeys, endingGrants: endingGrants)
  }
}
