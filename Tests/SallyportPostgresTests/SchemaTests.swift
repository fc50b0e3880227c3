import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportPostgres

@Suite("The schema of PostgreSQL", .serialized, .timeLimit(.minutes(3)))
struct SchemaTests {
  /// The URL with which a role other than the superuser connects to a database.
  private static func url(_ database: TestDatabase, role: String) -> String {
    database.url.replacing("postgres@", with: "\(role)@")
  }

  @Test(
    "a role that may not create the schema gets an error with the command that creates it, and can use an existing schema")
  func leastPrivilege() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let role = "server_\(database.name)"
    try database.query("CREATE ROLE \(role) LOGIN")
    let address = try PostgresAddress(Self.url(database, role: role))
    let refused = PostgresStore(address, limits: .patient)
    defer { refused.close() }
    let error = await #expect(throws: StoreError.self) { try await refused.connect() }
    guard case .unusable(let reason) = error else {
      Issue.record("\(String(describing: error)) is not permanent")
      return
    }
    #expect(reason.contains("sallyportd store init"))
    try await database.open().updateSchema(grantingTo: role)
    let store = PostgresStore(address, limits: .patient)
    defer { store.close() }
    try await store.prepareExample(grants: 1)
    #expect(try await store.write { (tx) throws(StoreError) in try tx.rotate(1, of: 0) })
    _ = try await store.removeExpired(before: .example + .seconds(1_000_000), limit: 100)
    #expect(throws: (any Error).self) {
      try database.cluster.query("SET ROLE \(role); UPDATE sallyport.schema_version SET version = 9", in: database.name)
    }
    #expect(throws: (any Error).self) {
      try database.cluster.query("SET ROLE \(role); CREATE TABLE sallyport.extra ()", in: database.name)
    }
  }

  @Test("the SQL that 'sallyportd store init --print-sql' prints creates the same tables and columns as a server")
  func printedSQL() async throws {
    let (created, printed) = (try TestDatabase(), try TestDatabase())
    defer { for database in [created, printed] { database.close() } }
    try await created.open().connect()
    try printed.query(PostgresStore.schemaSQL(grantingTo: "postgres"))
    let columns = """
      SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'sallyport' ORDER BY 1, 2
      """
    #expect(try created.query(columns) == printed.query(columns))
    let strict = PostgresStore(try PostgresAddress(printed.url), limits: .patient, createsSchema: false)
    defer { strict.close() }
    try await strict.connect()
  }

  @Test("several servers migrate the first schema at once, and keep its version, so that earlier servers still accept it")
  func migratesFirstVersion() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try database.query("BEGIN; \(Schema.script) COMMIT;")
    let strict = PostgresStore(try PostgresAddress(database.url), limits: .patient, createsSchema: false)
    defer { strict.close() }
    await #expect(throws: StoreError.self) { try await strict.connect() }
    let stores = [try database.open(), try database.open(), try database.open()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores { group.addTask { try await store.connect() } }
      try await group.waitForAll()
    }
    let numbers = Schema.migrations.map { "\($0.number)" }.joined(separator: "\n")
    #expect(try database.query("SELECT number FROM sallyport.migration ORDER BY number") == numbers)
    // Earlier servers accept only this version.
    #expect(try database.query("SELECT version FROM sallyport.schema_version") == "1")
  }

  @Test("a server waits while another server migrates, even if this takes longer than the time limit for other locks")
  func waitsForOtherMigration() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let endpoint = try #require(try PostgresAddress(database.url).endpoints.first)
    let other = try PostgresConnection(endpoint, until: .now + .seconds(60))
    try other.enqueue("BEGIN")
    try other.enqueue("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
    try other.enqueue("SELECT pg_advisory_xact_lock($1)", [SchemaUpdate.lock])
    _ = try other.exchange(until: .now + .seconds(60))
    let store = try database.open()
    async let connected: Void = store.connect()
    // Longer than the lock_timeout of a session (10 seconds).
    try await Task.sleep(for: .seconds(11))
    #expect(try database.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'sallyport'") == "0")
    other.close()
    try await connected
  }

  @Test("only one server at a time removes expired rows")
  func removesAlone() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    let interaction = "interaction"
    _ = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction(interaction, expires: .example) }
    let endpoint = try #require(try PostgresAddress(database.url).endpoints.first)
    let other = try PostgresConnection(endpoint, until: .now + .seconds(60))
    try other.enqueue("BEGIN")
    try other.enqueue("SELECT pg_advisory_xact_lock($1)", [PostgresTransaction.expiryLock])
    _ = try other.exchange(until: .now + .seconds(60))
    #expect(try await store.removeExpired(before: .example + .seconds(1), limit: 10) == 0)
    other.close()
    // PostgreSQL releases the lock a moment after the connection was closed.
    var removed = 0
    for _ in 0..<100 where removed == 0 { removed = try await store.removeExpired(before: .example + .seconds(1), limit: 10) }
    #expect(removed == 1)
  }

  @Test("no index contains a column that a redemption changes, so that concurrent redemptions do not conflict")
  func redemptionWithoutIndexEntry() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await database.open().connect()
    let definitions = try database.query(
      "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'sallyport.authorization_code'::regclass")
    #expect(definitions.contains("(expires_at)") && !definitions.contains("consumed_at") && !definitions.contains("failures"))
  }

  @Test("expired codes are examined once, and a step that reaches the limit continues where it stopped")
  func examinesCodesOnce() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await store.prepareExample(grants: 6)
    try await store.write { (tx) throws(StoreError) in
      for number in 0..<6 {
        try tx.insert(
          AuthorizationCodeRecord(
            fingerprint: Fingerprint(of: Secret("\(number)")), grant: .numbered(number), redirectURI: "app:/",
            challenge: nil, expiresAt: .example + .seconds(Int64(number))))
      }
      for number in [1, 4] { _ = try tx.consumeAuthorizationCode(of: .numbered(number), at: .example) }
    }
    let end = Timestamp.example + .seconds(5)
    func examined() throws -> String { try database.query("SELECT codes_examined_until FROM sallyport.configuration") }
    // This removes the codes 0 and 2. The redeemed code 1 stays.
    #expect(try await store.removeExpired(before: end, limit: 2) == 2)
    #expect(try examined() == "\((Timestamp.example + .seconds(2)).milliseconds)")
    // This removes the code 3, the three grants that ended with their codes, and the tokens of these grants.
    while try await store.removeExpired(before: end, limit: 2) == 2 {}
    #expect(try examined() == "\(end.milliseconds)")
    let left = "SELECT grant_id FROM sallyport.authorization_code ORDER BY grant_id"
    #expect(try database.query(left) == "grant-1\ngrant-4\ngrant-5")
    // The code 5 expires after the codes that were examined.
    _ = try await store.removeExpired(before: end + .milliseconds(1), limit: 100)
    #expect(try database.query(left) == "grant-1\ngrant-4")
  }

  @Test("the condition of a database names a missing index, and its clock offset is small on the same machine")
  func condition() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    let complete = try await store.condition()
    #expect(complete.missingIndexes.isEmpty && complete.standbys?.isEmpty == true && complete.serverVersion >= 150_000)
    #expect(max(complete.clockOffset, .zero - complete.clockOffset) < .seconds(60))
    try database.query("DROP INDEX sallyport.refresh_token_expiry")
    #expect(try await store.condition().missingIndexes == ["refresh_token_expiry"])
  }
}
