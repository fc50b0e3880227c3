import Glibc
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// The data to restore: a migrated and checked copy of a backup in a staging folder. Creating this copy does not
/// change the data in use.
struct StagedBackup {
  let folder: StagingFolder
  /// The number of sessions and grants that were ended, because they may have been revoked since the backup.
  let ended: (sessions: Int, grants: Int)
  /// The keys that replace the backup's signing keys, or nil to keep the backup's signing keys.
  let signingKeys: [SigningKeyRecord]?

  var files: BackupFolder { BackupFolder(path: self.folder.path) }

  /// - Parameters:
  ///   - key: The key file that matches the backup.
  ///   - data: The path of the data directory.
  ///   - signingKeys: ``signingKeys``.
  ///   - revokingGrants: Whether to end all sessions and grants, and remove everything else that could give access,
  ///     such as one-time links. `SQLiteStore.prepareRestored(_:signingKeys:revokingGrants:)` has the complete list.
  init(
    of backup: BackupFolder, key: KeyFile, in data: String, signingKeys: [SigningKeyRecord]? = nil, revokingGrants: Bool
  ) async throws {
    guard FileSystem.exists(backup.database) else {
      throw Failure("\(backup.path) is not a backup: it contains no \(DataFiles.database)")
    }
    guard let masterKey = try key.read() else { throw Failure("there is no key file \(key.path); specify it with --key") }
    FileSystem.letSQLiteUse(data)
    try BackupFolder.requireUsable(backup.database, with: masterKey)
    try backup.requireUnchanged()
    self.signingKeys = signingKeys
    self.folder = try StagingFolder(in: data)
    do {
      let (files, incoming) = (BackupFolder(path: self.folder.path), "\(self.folder.path)/incoming.db")
      try key.copy(to: files.key)
      try SQLiteStore.copy(backup.database, to: incoming)
      self.ended = try await Self.update(incoming, signingKeys, revokingGrants: revokingGrants)
      // The database is copied again, because the changes may still be in a write-ahead log next to the file.
      try SQLiteStore.copy(incoming, to: files.database)
      for name in FileSystem.names(in: files.path) where name.hasPrefix("incoming.db") { unlink("\(files.path)/\(name)") }
      try BackupFolder.requireUsable(files.database, with: masterKey)
    } catch {
      self.folder.remove()
      if let error = error as? StoreError { throw Failure("the backup cannot be restored: \(error.reason)") }
      throw error
    }
  }

  /// Migrates the schema, replaces the signing keys if `signingKeys` is not nil, and ends all sessions and grants if
  /// `revokingGrants` is true.
  private static func update(
    _ database: String, _ signingKeys: [SigningKeyRecord]?, revokingGrants: Bool
  ) async throws -> (sessions: Int, grants: Int) {
    let store = try SQLiteStore(path: database)
    defer { try? store.close() }
    return try await store.prepareRestored(
      AuditRecord(.databaseRestored, from: .command, at: .now()), signingKeys: signingKeys, revokingGrants: revokingGrants)
  }
}
