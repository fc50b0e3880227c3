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
  private var staged: String { "\(self.data)/\(DataFiles.staged)" }
  private var mark: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Takes the directory for this process alone, and makes it where there is none.
  func prepare() throws(Failure) {
    if !PrivateFiles.exists(self.data) { try PrivateFiles.makeFolder(self.data) }
    try PrivateFiles.refuseOthers(self.data)
    try DataLock.own(self.data)
    // Whoever else staged something here has come to an end before this began.
    for name in PrivateFiles.names(in: self.data) where name.hasPrefix(DataFiles.staged) {
      PrivateFiles.removeFolder("\(self.data)/\(name)")
    }
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
    try backup.refuseChanges()
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
    let aside: String?
    do {
      try PrivateFiles.sync(folder: self.staged)
      aside = try self.makeAside()
    } catch {
      PrivateFiles.removeFolder(self.staged)
      throw error
    }
    // From here on nobody opens what is there, until the last file is in its place.
    try self.setMark()
    if let aside { try Self.move(self.old, from: self.data, to: aside) }
    try Self.move(Self.files, from: self.mark, to: self.data)
    PrivateFiles.removeFolder(self.mark)
    try PrivateFiles.sync(folder: self.data)
    return aside
  }

  private static let files = [DataFiles.key, DataFiles.database]

  /// The mark of an interrupted restore stays where it is, and only what is in it is replaced: without a mark somebody might start on the half.
  private func setMark() throws(Failure) {
    if PrivateFiles.exists(self.mark) {
      try Self.move(Self.files, from: self.staged, to: self.mark)
      PrivateFiles.removeFolder(self.staged)
    } else {
      try PrivateFiles.move(self.staged, to: self.mark)
    }
    try PrivateFiles.sync(folder: self.data)
  }

  /// What is kept aside.
  private var old: [String] { self.present.filter { $0 != DataFiles.restoring } }

  /// A new folder for what is there, named for the time; nil where there is nothing.
  private func makeAside() throws(Failure) -> String? {
    guard !self.old.isEmpty else { return nil }
    let stamp = Date().formatted(.iso8601).replacing(":", with: "").replacing("-", with: "")
    var (folder, count) = ("\(self.data)/\(DataFiles.replaced)\(stamp)", 1)
    while PrivateFiles.exists(folder) {
      count += 1
      folder = "\(self.data)/\(DataFiles.replaced)\(stamp)-\(count)"
    }
    try PrivateFiles.makeFolder(folder)
    return folder
  }

  private static func move(_ names: [String], from source: String, to folder: String) throws(Failure) {
    for name in names { try PrivateFiles.move("\(source)/\(name)", to: "\(folder)/\(name)") }
    try PrivateFiles.sync(folder: folder)
  }
}
