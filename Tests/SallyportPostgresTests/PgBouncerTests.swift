import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import SallyportStoreTesting
import Testing

@testable import SallyportPostgres

@Suite("PostgreSQL behind PgBouncer in transaction mode", .serialized, .timeLimit(.minutes(5)))
struct PgBouncerTests {
  /// Two lists of PgBouncer settings. With the first, which is empty, PgBouncer rejects the startup parameter
  /// `options`, in which a store sends the settings of its session. With the second, PgBouncer ignores the parameter.
  static let settings = [[], ["ignore_startup_parameters = options"]]

  private struct Site {
    let bouncer: PgBouncer
    let database: TestDatabase

    init(_ settings: [String]) throws {
      let cluster = try PostgresCluster(settings: ["fsync=off", "synchronous_commit=off"])
      self.bouncer = try PgBouncer(cluster, settings: settings)
      self.database = try TestDatabase(cluster)
    }

    func open() throws -> PostgresStore {
      PostgresStore(try PostgresAddress(self.bouncer.url(self.database.name)), limits: .patient)
    }
  }

  @Test("concurrent transactions of two servers succeed, although each may run in a different session", arguments: Self.settings)
  func concurrentTransactions(_ settings: [String]) async throws {
    let site = try Site(settings)
    let stores = [try site.open(), try site.open()]
    defer { for store in stores { store.close() } }
    try await stores[0].prepareExample(grants: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for grant in 0..<8 {
        group.addTask {
          for number in 1...20 as ClosedRange<Int64> {
            let isRotated = try await stores[Int(number) % 2].write { (tx) throws(StoreError) in try tx.rotate(number, of: grant)
            }
            #expect(isRotated)
            let token = RefreshTokenRecord.example(number + 1, of: .numbered(grant))
            let found = try await stores[grant % 2].read { (snapshot) throws(StoreError) in
              try snapshot.refreshToken(token.fingerprint, token.id)
            }
            #expect(found != nil && found?.credential.consumedAt == nil)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a transaction has the settings that a session has without PgBouncer, and commits durably", arguments: Self.settings)
  func transactionSettings(_ settings: [String]) async throws {
    let site = try Site(settings)
    let store = try site.open()
    defer { store.close() }
    try await store.connect()
    let values = try await store.inspect { (snapshot) throws(StoreError) in
      try snapshot.row(
        "SELECT current_setting('search_path'), current_setting('enable_seqscan'), current_setting('synchronous_commit'), current_setting('jit')"
      ) { (row) throws(StoreError) in [try row[0] as String, try row[1], try row[2], try row[3]] }
    }
    #expect(values == ["sallyport,pg_temp", "off", "on", "off"])
    // The store, not the cluster, has turned on `synchronous_commit`.
    #expect(try site.database.query("SHOW synchronous_commit") == "off")
  }

  @Test("a server notices that another server changed the configuration, although no notifications arrive")
  func watchesConfiguration() async throws {
    let site = try Site([])
    let stores = [try site.open(), try site.open()]
    defer { for store in stores { store.close() } }
    try await stores[0].connect()
    for _ in 0..<600 where stores[1].watchedConfigurationVersion == nil { try await Task.sleep(for: .milliseconds(50)) }
    try await stores[0].prepareExample(grants: 0)
    let version = try await stores[0].read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    for _ in 0..<600 where stores[1].watchedConfigurationVersion != version { try await Task.sleep(for: .milliseconds(50)) }
    #expect(stores[1].watchedConfigurationVersion == version)
  }
}
