import Foundation
import PostgresTestSupport
import SallyportPostgres
import SallyportProtocol
import SallyportServer
import Testing

@Suite("Changes to the configuration by another server", .serialized, .timeLimit(.minutes(3)))
struct ConfigurationWatchTests {
  /// Waits until the store's watch has read the version of the configuration, and returns the version. The first call
  /// starts the watch.
  private static func watchedVersion(of store: PostgresStore) async throws -> Int64 {
    for _ in 0..<600 {
      if let version = store.watchedConfigurationVersion { return version }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw StoreError.unavailable(reason: "the store does not watch the configuration")
  }

  @Test("a store notices that another store has added a client, although no request reads the version")
  func noticesChanges() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let (first, second) = (try database.open(), try database.open())
    try await first.connect()
    let before = try await Self.watchedVersion(of: second)
    try await first.prepareExample(grants: 0)
    let changed = try await first.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    #expect(changed > before)
    for _ in 0..<600 where second.watchedConfigurationVersion ?? before < changed { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try await Self.watchedVersion(of: second) == changed)
  }

  @Test("250 milliseconds after a change, a store knows either the new version or no version")
  func isNeverStale() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let (first, second) = (try database.open(), try database.open())
    try await first.connect()
    _ = try await Self.watchedVersion(of: second)
    for number in 0..<20 {
      let key = SigningKeyRecord(
        id: "key-\(number)", algorithm: "ES256", sealedPrivateKey: [1], createdAt: .example, activeAt: .example)
      let version = try await first.write { (tx) throws(StoreError) in
        try tx.insert(key)
        return try tx.configurationVersion()
      }
      try await Task.sleep(for: .milliseconds(250))
      if let known = second.watchedConfigurationVersion { #expect(known >= version) }
    }
  }

  @Test("a store knows no version while PostgreSQL does not respond, and knows the version again afterward")
  func failsSafe() async throws {
    let cluster = try PostgresCluster(settings: ["fsync=off"])
    let database = try TestDatabase(cluster)
    defer { database.close() }
    let store = try database.open()
    try await store.connect()
    _ = try await Self.watchedVersion(of: store)
    // The connections stay open, but get no response. The main process is stopped too, so that new connections get no
    // response either: on a busy machine, the store may open one before this test continues.
    let processes = try cluster.freeze()
    try await Task.sleep(for: .milliseconds(300))
    let version = store.watchedConfigurationVersion
    cluster.resume(processes)
    #expect(version == nil)
    _ = try await Self.watchedVersion(of: store)
  }

  @Test("a store that is closed knows no version")
  func close() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    // The watch has a connection of its own, so the store need not be connected first.
    _ = try await Self.watchedVersion(of: store)
    store.close()
    #expect(store.watchedConfigurationVersion == nil)
  }
}
