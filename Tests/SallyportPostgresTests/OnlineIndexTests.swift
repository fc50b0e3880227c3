import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportPostgres

/// Migrations that add an index to an existing table.
@Suite("Indexes that PostgreSQL creates online", .serialized, .timeLimit(.minutes(5)))
struct OnlineIndexTests {
  private static let index = "refresh_token_issued"

  @Test("a server of the previous version reads and writes a table while the next version creates an index on the table")
  func createsUnderLoad() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let previous = try database.open()
    try await previous.prepareExample(grants: 2)
    let writer = try Self.openTransaction(in: database)
    let next = try Self.openNext(database)
    defer { next.close() }
    async let migrated: Void = next.connect()
    try await Self.waitForCreation(in: database)
    for number in 1...20 as ClosedRange<Int64> {
      #expect(try await previous.write { (tx) throws(StoreError) in try tx.rotate(number, of: 0) })
    }
    #expect(try Self.isValid(in: database) == "f")
    // An index that is being created is not reported as invalid.
    #expect(try await previous.condition().invalidIndexes.isEmpty)
    writer.close()
    try await migrated
    #expect(try Self.isValid(in: database) == "t")
    #expect(try await next.write { (tx) throws(StoreError) in try tx.rotate(1, of: 1) })
    let numbers = Schema.next.migrations.map { "\($0.number)" }.joined(separator: "\n")
    #expect(try database.query("SELECT number FROM sallyport.migration ORDER BY number") == numbers)
    // The connection that created the index has released its advisory lock, and has the usual time limits again.
    let locks = "SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database AND datname = current_database()"
    #expect(try database.query(locks + " WHERE locktype = 'advisory'") == "0")
    let limit = try await next.inspect { (snapshot) throws(StoreError) in
      try snapshot.row("SELECT current_setting('lock_timeout')") { (row) throws(StoreError) in try row[0] as String }
    }
    #expect(limit == "10s")
  }

  @Test("if the creation is interrupted, the invalid index is reported, and the next start replaces it")
  func repairs() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let previous = try database.open()
    try await previous.prepareExample(grants: 1)
    let writer = try Self.openTransaction(in: database)
    let crashed = try Self.openNext(database)
    defer { crashed.close() }
    let migrated = Task { try await crashed.connect() }
    try await Self.waitForCreation(in: database)
    try database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE datname = current_database()")
    await #expect(throws: StoreError.self) { try await migrated.value }
    writer.close()
    #expect(try Self.isValid(in: database) == "f")
    #expect(try await previous.condition().invalidIndexes == [Self.index])

    let restarted = try Self.openNext(database)
    defer { restarted.close() }
    try await restarted.connect()
    #expect(try Self.isValid(in: database) == "t")
    #expect(try await previous.condition().invalidIndexes.isEmpty)
  }

  @Test("an index that is complete, but not recorded as a migration, is kept")
  func keepsCompleteIndex() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await database.open().connect()
    try database.query(OnlineIndex.example.creation)
    // PostgreSQL gives an index a new file if the index is created again.
    let fileQuery = "SELECT pg_relation_filenode('sallyport.\(Self.index)')"
    let before = try database.query(fileQuery)
    let next = try Self.openNext(database)
    defer { next.close() }
    try await next.connect()
    #expect(try database.query(fileQuery) == before)
  }

  @Test("several servers that migrate at once all succeed, and the index is valid", arguments: [false, true])
  func migratesWithSeveralServers(behindPgBouncer: Bool) async throws {
    // Behind PgBouncer, a connection has no session that could hold a lock, so several servers may create the index at
    // the same time, and can deadlock. With the short timeout, PostgreSQL detects a deadlock soon.
    let cluster = try behindPgBouncer ? PostgresCluster(settings: ["fsync=off", "deadlock_timeout=100ms"]) : .shared()
    let database = try TestDatabase(cluster)
    defer { database.close() }
    let bouncer = try behindPgBouncer ? PgBouncer(cluster) : nil
    let url = bouncer?.url(database.name) ?? database.url
    try await database.open().prepareExample(grants: 1)
    let stores = try (0..<3).map { _ in PostgresStore(try PostgresAddress(url), limits: .patient, schema: .next) }
    defer { for store in stores { store.close() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores { group.addTask { try await FailureTests.retrying { try await store.connect() } } }
      try await group.waitForAll()
    }
    #expect(try Self.isValid(in: database) == "t")
  }

  @Test("if the rows violate a unique index, the error is permanent and names the index")
  func violated() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await database.open().prepareExample(grants: 2)
    let index = OnlineIndex(name: "refresh_token_once", table: "refresh_token", definition: "(number)", isUnique: true)
    let store = PostgresStore(try PostgresAddress(database.url), limits: .patient, schema: .adding(index))
    defer { store.close() }
    let error = await #expect(throws: StoreError.self) { try await store.connect() }
    guard case .unusable(let reason) = error else {
      Issue.record("\(String(describing: error)) is not permanent")
      return
    }
    #expect(reason.contains("refresh_token_once"))
  }

  @Test("no migration creates an index of an existing table in a transaction, which would block writes to the table")
  func usesOnlineIndexes() {
    for migration in Schema.migrations {
      guard case .statements(let statements) = migration.change else { continue }
      let created = statements.matches(of: /CREATE TABLE ([a-z_]+)/).map { String($0.1) }
      for index in statements.matches(of: /CREATE (?:UNIQUE )?INDEX ([a-z_]+) ON ([a-z_]+)/) {
        #expect(created.contains(String(index.2)), "\(index.1) must be an OnlineIndex")
      }
    }
  }

  @Test("the SQL for an administrator creates the index in a transaction")
  func printsSQL() throws {
    let database = try TestDatabase()
    defer { database.close() }
    let migration = try #require(Schema.next.migrations.last)
    try database.query(
      "BEGIN; \(Schema.script) \(Schema.migrations.map(\.creationScript).joined()) \(migration.creationScript) COMMIT;")
    #expect(try Self.isValid(in: database) == "t")
  }
}

extension OnlineIndexTests {
  private static func openNext(_ database: TestDatabase) throws -> PostgresStore {
    PostgresStore(try PostgresAddress(database.url), limits: .patient, schema: .next)
  }

  /// Begins a transaction, and executes a `DELETE` on the index's table in it. The creation of the index waits until
  /// this transaction ends.
  private static func openTransaction(in database: TestDatabase) throws -> PostgresConnection {
    let endpoint = try #require(try PostgresAddress(database.url).endpoints.first)
    let writer = try PostgresConnection(endpoint, until: .now + .seconds(60))
    try writer.enqueue("BEGIN")
    try writer.enqueue("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
    try writer.enqueue("DELETE FROM refresh_token WHERE number = 1000000")
    _ = try writer.exchange(until: .now + .seconds(60))
    return writer
  }

  private static func waitForCreation(in database: TestDatabase) async throws {
    try await FailureTests.retrying {
      let phase = try database.query(
        "SELECT phase FROM pg_stat_progress_create_index WHERE datname = current_database()")
      guard phase.hasPrefix("waiting for") else { throw StoreError.unavailable(reason: "the index is not being created") }
    }
  }

  /// Returns `t` if the index is valid, `f` if it is invalid, and an empty string if there is no index.
  private static func isValid(in database: TestDatabase) throws -> String {
    try database.query(
      "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = '\(Self.index)'")
  }
}

extension OnlineIndex {
  fileprivate static let example = OnlineIndex(
    name: "refresh_token_issued", table: "refresh_token", definition: "(issued_at) WHERE consumed_at IS NULL")
}

extension Schema {
  /// The schema of the next version, which adds ``OnlineIndex/example``.
  fileprivate static let next = Self.adding(.example)

  fileprivate static func adding(_ index: OnlineIndex) -> Schema {
    let migration = Migration(number: (Schema.migrations.last?.number ?? 0) + 1, index: index)
    return Schema(version: Self.current.version, migrations: Self.migrations + [migration])
  }
}
