import Foundation
import GRDB
import SallyportServer
import Testing

@testable import SallyportDaemon
@testable import SallyportSQLite

@Suite("Online restore")
struct OnlineRestorationTests {
  @Test("a live database that has a newer schema version or is damaged is not replaced", arguments: [true, false])
  func rejected(isNewer: Bool) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let data = "\(folder.path)/data"
    let directory = try DataDirectory(path: data)
    _ = try BackupFolder.make(of: data, at: "\(folder.path)/backup", withKey: false)
    let newerVersion = "INSERT INTO grdb_migrations VALUES ('99 of the future')"
    let rowWithoutParent =
      "PRAGMA foreign_keys = OFF; INSERT INTO consent VALUES ('nobody', 'none', 'https://a/', '', 'openid', 0)"
    let store = try #require(directory.store as? SQLiteStore)
    try await store.pool.writeWithoutTransaction { db in try db.execute(sql: isNewer ? newerVersion : rowWithoutParent) }
    let failure = await #expect(throws: Failure.self) {
      _ = try await OnlineRestoration(data: data).stage(BackupFolder(path: "\(folder.path)/backup"), revokingGrants: true)
    }
    #expect(failure?.message.contains(isNewer ? "a different schema version" : "damaged") == true && failure?.exitCode == 3)
    // The files that the restore prepared are removed.
    #expect(FileSystem.names(in: data).filter { $0.hasPrefix(DataFiles.staged) }.isEmpty)
    try store.close()
  }

  @Test("if a signing key is rotated while the backup is prepared, nothing is restored, and the key stays")
  func rotatedKey() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let data = "\(folder.path)/data"
    let directory = try DataDirectory(path: data)
    let keys = KeyManagement(store: directory.store, masterKey: directory.masterKey)
    _ = try await keys.rotate()
    let backup = try BackupFolder.make(of: data, at: "\(folder.path)/backup", withKey: false)
    let restoration = OnlineRestoration(data: data)
    let outdated = try await restoration.stage(backup, revokingGrants: true)
    _ = try await keys.rotate()
    let rotated = try await keys.list().map(\.id)
    let failure = #expect(throws: Failure.self) { try restoration.install(outdated) }
    #expect(failure?.message.contains("signing keys have changed") == true)
    #expect(FileSystem.names(in: data).filter { $0.hasPrefix(DataFiles.staged) || $0.hasPrefix("replaced") }.isEmpty)
    #expect(try await keys.list().map(\.id) == rotated)
    // The next attempt keeps the new key.
    _ = try restoration.install(try await restoration.stage(backup, revokingGrants: true))
    #expect(try await keys.list().map(\.id) == rotated)
  }

  @Test("the folder of an interrupted restore is removed, but not the folder of a restore that is running")
  func leftovers() throws {
    let folder = try Folder()
    defer { folder.remove() }
    // This folder stays locked until this process ends.
    let running = try StagingFolder(in: folder.path)
    let interrupted = "\(folder.path)/\(DataFiles.staged)AbCdEf"
    try FileSystem.makeFolder(interrupted)
    try folder.write("half", to: "\(DataFiles.staged)AbCdEf/key")
    try StagingFolder.removeLeftovers(in: folder.path)
    #expect(!FileSystem.exists(interrupted) && FileSystem.exists(running.path))
  }
}
