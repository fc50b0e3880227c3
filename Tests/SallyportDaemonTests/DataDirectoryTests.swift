import Foundation
import GRDB
import Testing

@testable import SallyportDaemon
@testable import SallyportSQLite

@Suite("Unusable data directories")
struct DataDirectoryTests {
  /// What is wrong with the directory.
  enum Trouble: String, CaseIterable {
    case newer, foreign, damagedKey, openToOthers, halfRestored, inTheWay

    func make(in folder: Folder) throws {
      switch self {
      case .newer:
        let store = try SQLiteStore(path: "\(folder.path)/sallyport.db")
        try store.pool.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 of the future')") }
        try store.close()
      case .foreign: try folder.write("this is not a database", to: "sallyport.db")
      case .damagedKey: try folder.write("short", to: "key")
      case .openToOthers: try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      case .halfRestored: try FileSystem.makeFolder("\(folder.path)/\(DataFiles.restoring)")
      case .inTheWay: try FileSystem.makeFolder("\(folder.path)/sallyport.db")
      }
    }
  }

  @Test(
    "a command exits with 3 if the data needs manual repair, so that the service manager does not retry",
    arguments: Trouble.allCases)
  func exitCode(of trouble: Trouble) throws {
    let folder = try Folder()
    defer { folder.remove() }
    try trouble.make(in: folder)
    let failure = #expect(throws: Failure.self) { _ = try DataDirectory(path: folder.path) }
    #expect(failure?.exitCode == (trouble == .inTheWay ? 1 : 3), "\(failure?.message ?? "")")
  }

  @Test("a key file that is a symbolic link is not read, even if its target is private")
  func linkedKey() throws {
    let folder = try Folder()
    defer { folder.remove() }
    _ = try KeyFile(path: "\(folder.path)/elsewhere").readOrMake()
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/key", withDestinationPath: "\(folder.path)/elsewhere")
    let failure = #expect(throws: Failure.self) { try KeyFile(path: "\(folder.path)/key").read() }
    #expect(failure?.message.contains("cannot read the key file") == true)
  }
}
