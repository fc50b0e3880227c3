import ArgumentParser
import Foundation
import GRDB
import Logging
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportDaemon
@testable import SallyportSQLite

@Suite("Unusable data directories")
struct DataDirectoryTests {
  /// What is wrong with the directory.
  enum Defect: String, CaseIterable {
    case newerDatabase, foreignDatabase, damagedKey, missingKey, accessibleToOthers, interruptedRestore, databaseIsFolder

    func make(in folder: Folder) throws {
      if self != .missingKey { _ = try KeyFile(path: "\(folder.path)/key").readOrMake() }
      switch self {
      // A migration that this version does not know.
      case .newerDatabase:
        let store = try SQLiteStore(path: "\(folder.path)/sallyport.db")
        try store.pool.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 of the future')") }
        try store.close()
      case .foreignDatabase: try folder.write("this is not a database", to: "sallyport.db")
      case .damagedKey: try folder.write("short", to: "key")
      case .missingKey: try SQLiteStore(path: "\(folder.path)/sallyport.db").close()
      case .accessibleToOthers: try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      case .interruptedRestore: try FileSystem.makeFolder("\(folder.path)/\(DataFiles.restoring)")
      case .databaseIsFolder: try FileSystem.makeFolder("\(folder.path)/sallyport.db")
      }
    }
  }

  @Test(
    "a command exits with 3 if the data needs manual repair, so that the service manager does not retry, and with 1 if the database cannot be opened for another reason",
    arguments: Defect.allCases)
  func exitCode(of defect: Defect) throws {
    let folder = try Folder()
    defer { folder.remove() }
    try defect.make(in: folder)
    let failure = #expect(throws: Failure.self) { _ = try DataDirectory(path: folder.path) }
    #expect(failure?.exitCode == (defect == .databaseIsFolder ? 1 : 3), "\(failure?.message ?? "")")
  }

  @Test("a directory whose restore was interrupted is not copied")
  func interruptedRestore() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    try Defect.interruptedRestore.make(in: folder)
    let copy = try StoreCopyCommand.parse(["--from", folder.path, "--to", "postgres://localhost:1/accounts"])
    let failure = await #expect(throws: Failure.self) { try await copy.run() }
    #expect(failure?.exitCode == 3 && failure?.message.contains("was interrupted") == true)
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

  @Test("a server does not start with the key file of another database until an emergency rotation has replaced the signing keys")
  func otherKey() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    var settings = ServerSettings(issuer: try Issuer("http://localhost:1"))
    (settings.data, settings.port, settings.logLevel) = (folder.path, 0, .critical)
    _ = try await ServerApplication(directory: DataDirectory(path: folder.path), settings: settings)
    try FileManager.default.removeItem(atPath: "\(folder.path)/key")
    _ = try KeyFile(path: "\(folder.path)/key").readOrMake()
    let failure = await #expect(throws: Failure.self) {
      _ = try await ServerApplication(directory: DataDirectory(path: folder.path), settings: settings)
    }
    #expect(failure?.exitCode == 3)
    #expect(failure?.message.contains("restore the key file") == true)

    let options = ["--data", folder.path]
    try await KeyCommand.Rotate.parse(options + ["--immediately"]).run()
    _ = try await ServerApplication(directory: DataDirectory(path: folder.path), settings: settings)
  }

  @Test("a rotation keeps the old keys, and 'key list' lists them, for as long as the lifetimes in the settings require")
  func lifetimesOfKeys() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let data = "\(folder.path)/data"
    let settings = try folder.write(
      "data: \(data)\nlifetimes: { access-token: 1d, browser-session: 3650d }\n", to: "settings.yaml")
    let options = try DataOptions.parse(["--config", settings])
    let directory = try await options.open()
    try await KeyManagement(store: directory.store, masterKey: directory.masterKey).ensureKeys()
    try await KeyCommand.Rotate.parse(["--config", settings]).run()
    let keys = try await directory.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
    for key in keys where key.retiredAt != nil { #expect(try #require(key.removedAt) > .now() + .seconds(3_649 * 86_400)) }
    #expect(keys.contains { $0.retiredAt != nil })

    // At this time, the old keys have been retired for longer than the default lifetime of access tokens, but not for
    // longer than the lifetime in these settings.
    let later = Timestamp.now() + .seconds(20 * 3_600)
    let published = try options.keys(in: directory, now: { later })
    #expect(try await published.list().count == keys.count)
  }

  @Test("a command that needs the issuer reports an invalid issuer in the settings")
  func invalidIssuer() throws {
    let folder = try Folder()
    defer { folder.remove() }
    for issuer in ["http://id.example", "https://ID.example"] {
      let settings = try folder.write("data: \(folder.path)\nissuer: \(issuer)\n", to: "settings.yaml")
      let mistakes = #expect(throws: SettingsMistakes.self) { try DataOptions.parse(["--config", settings]).knownIssuer() }
      #expect(mistakes?.list.count == 1 && mistakes?.list.first?.contains("issuer") == true)
    }
  }

  @Test("an emergency rotation creates a key file if the file is lost, and a planned rotation does not")
  func lostKey() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    _ = try DataDirectory(path: folder.path)
    let key = "\(folder.path)/key"
    try FileManager.default.removeItem(atPath: key)
    let options = ["--data", folder.path]
    let failure = await #expect(throws: Failure.self) { try await KeyCommand.Rotate.parse(options).run() }
    #expect(failure?.exitCode == 3)
    #expect(!FileManager.default.fileExists(atPath: key))
    try await KeyCommand.Rotate.parse(options + ["--immediately"]).run()
    #expect(FileManager.default.fileExists(atPath: key))
  }
}
