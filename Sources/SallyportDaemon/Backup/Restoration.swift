import SallyportProtocol
import SallyportSQLite
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The way of a backup into a data directory: staged beside, checked, and moved into place under a mark that stops everybody until the last
/// file is there.
struct Restoration {
  let data: String
  let replaces: Bool
  private var staged: String { "\(self.data)/staged.\(getpid())" }
  private var mark: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Takes the directory for this process alone, and makes it where there is none.
  func prepare() throws(Failure) {
    if !PrivateFiles.exists(self.data) { try PrivateFiles.makeFolder(self.data) }
    try PrivateFiles.refuseOthers(self.data)
    try DataLock.own(self.data)
    let there = self.present
    guard self.replaces || there.isEmpty else {
      throw Failure("there is data in \(self.data) (\(there.joined(separator: ", "))); --replace keeps it aside")
    }
  }

  /// What would be in the way.
  private var present: [String] {
    ([DataFiles.database, DataFiles.key, DataFiles.restoring] + DataFiles.companions)
      .filter { PrivateFiles.exists("\(self.data)/\($0)") }
  }

  /// Makes of the backup what will be the new data, and checks it.
  func stage(_ backup: BackupFolder, key: KeyFile, endingGrants: Bool) async throws -> (sessions: Int, grants: Int) {
    guard PrivateFiles.exists(backup.database) else {
      throw Failure("\(backup.path) has no \(DataFiles.database): is it a backup?")
    }
    guard let masterKey = try key.read() else { throw Failure("there is no key file \(key.path); name it with --key") }
    _ = try BackupFolder.checked(backup.database, with: masterKey)
    try PrivateFiles.makeFolder(self.staged)
    do {
      let staged = BackupFolder(path: self.staged)
      try key.copy(to: staged.key)
      let incoming = "\(self.staged)/incoming.db"
      try SQLiteStore.copy(backup.database, to: incoming)
      let ended = try await Self.update(incoming, endingGrants: endingGrants)
      // Once more, since what was written rests in a log beside the file.
      try SQLiteStore.copy(incoming, to: staged.database)
      for name in PrivateFiles.names(in: self.staged) where name.hasPrefix("incoming.db") { unlink("\(self.staged)/\(name)") }
      _ = try BackupFolder.checked(staged.database, with: masterKey)
      return ended
    } catch {
      PrivateFiles.removeFolder(self.staged)
      if let error = error as? StoreError { throw Failure("the backup cannot be restored: \(error.reason)") }
      throw error
    }
  }

  /// Brings the schema up to date, and ends what may have been revoked.
  private static func update(_ database: String, endingGrants: Bool) async throws -> (sessions: Int, grants: Int) {
    let store = try SQLiteStore(path: database)
    let record = AuditRecord(.databaseRestored, from: .command, at: .now())
    defer { try? store.close() }
    guard !endingGrants else { return try await store.endEverything(record) }
    try await store.write { (tx) throws(StoreError) in try tx.insert(record) }
    return (0, 0)
  }

  /// - Returns: where the old files are now; nil where there were none.
  func putInPlace() throws(Failure) -> String? {
    try PrivateFiles.sync(folder: self.staged)
    // What an interrupted restore left is as old as the rest.
    if PrivateFiles.exists(self.mark) { try PrivateFiles.move(self.mark, to: "\(self.staged).interrupted") }
    try PrivateFiles.move(self.staged, to: self.mark)
    try PrivateFiles.sync(folder: self.data)
    let replaced = try self.keepAside()
    for name in [DataFiles.key, DataFiles.database] {
      try PrivateFiles.move("\(self.mark)/\(name)", to: "\(self.data)/\(name)")
    }
    try PrivateFiles.sync(folder: self.data)
    PrivateFiles.removeFolder(self.mark)
    PrivateFiles.removeFolder("\(self.staged).interrupted")
    try PrivateFiles.sync(folder: self.data)
    return replaced
  }

  private func keepAside() throws(Failure) -> String? {
    let old = self.present.filter { $0 != DataFiles.restoring }
    guard !old.isEmpty else { return nil }
    let stamp = Date().formatted(.iso8601).replacing(":", with: "").replacing("-", with: "")
    let folder = "\(self.data)/replaced-\(stamp)"
    try PrivateFiles.makeFolder(folder)
    for name in old { try PrivateFiles.move("\(self.data)/\(name)", to: "\(folder)/\(name)") }
    try PrivateFiles.sync(folder: folder)
    return folder
  }
}
