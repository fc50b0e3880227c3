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
  let files: BackupFolder
  /// What may have been revoked since the backup was made.
  let ended: (sessions: Int, grants: Int)

  /// - Parameters:
  ///   - key: fits the backup.
  ///   - folder: is made, and is removed again where anything is wrong.
  init(of backup: BackupFolder, key: KeyFile, in folder: String, endingGrants: Bool) async throws {
    guard PrivateFiles.exists(backup.database) else {
      throw Failure("\(backup.path) has no \(DataFiles.database): is it a backup?")
    }
    guard let masterKey = try key.read() else { throw Failure("there is no key file \(key.path); name it with --key") }
    _ = try BackupFolder.checked(backup.database, with: masterKey)
    try backup.refuseChanges()
    try PrivateFiles.makeFolder(folder)
    do {
      let files = BackupFolder(path: folder)
      try key.copy(to: files.key)
      let incoming = "\(folder)/incoming.db"
      try SQLiteStore.copy(backup.database, to: incoming)
      self.ended = try await Self.update(incoming, endingGrants: endingGrants)
      // Once more, since what was written rests in a log beside the file.
      try SQLiteStore.copy(incoming, to: files.database)
      for name in PrivateFiles.names(in: folder) where name.hasPrefix("incoming.db") { unlink("\(folder)/\(name)") }
      _ = try BackupFolder.checked(files.database, with: masterKey)
      self.files = files
    } catch {
      PrivateFiles.removeFolder(folder)
      if let error = error as? StoreError { throw Failure("the backup cannot be restored: \(error.reason)") }
      throw error
    }
  }

  /// Brings the schema up to date, and ends what may have been revoked.
  private static func update(_ database: String, endingGrants: Bool) async throws -> (sessions: Int, grants: Int) {
    let store = try SQLiteStore(path: database)
    defer { try? store.close() }
    return try await store.settleRestored(
      AuditRecord(.databaseRestored, from: .command, at: .now()), endingGrants: endingGrants)
  }
}
