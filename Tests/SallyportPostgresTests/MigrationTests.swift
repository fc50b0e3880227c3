import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import TestSupport
import Testing

@testable import SallyportPostgres

/// Migrations to two later versions, which are defined here. The first version adds two columns to the refresh tokens,
/// fills one or both of them, and adds a trigger that sets the column `issued_on` for servers that do not know this
/// column. The second version removes the trigger.
@Suite("Online migrations of PostgreSQL", .serialized, .timeLimit(.minutes(5)))
struct MigrationTests {
  private static let grants = 8

  @Test("a server of the previous version works while 100,000 rows are migrated, and is rejected after the trigger is removed")
  func migratesUnderLoad() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let previous = try Self.open(database, .previous)
    defer { previous.close() }
    let tokens = 12_500
    try await Self.insertTokens(tokens, in: database, previous)
    let next = try Self.open(database, .next())
    defer { next.close() }
    let migrations = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for grant in 0..<Self.grants {
        group.addTask {
          try await Self.rotate(from: tokens, of: grant, in: previous) { migrations.value > 0 }
        }
      }
      group.addTask {
        try await Self.waitForRotations(after: tokens, in: database)
        try await next.connect()
        _ = migrations.increment()
      }
      try await group.waitForAll()
    }
    #expect(try database.query("SELECT count(*) FROM sallyport.refresh_token WHERE issued_on IS NULL") == "0")
    #expect(try database.query("SELECT sum(rows) >= \(Self.grants * tokens) FROM sallyport.step") == "t")
    #expect(try Self.largestStep(database) <= 1_000)
    // No step (an UPDATE of the backfill) takes a lock on the whole table that prevents others from reading or changing
    // other rows.
    #expect(try database.query("SELECT DISTINCT locks FROM sallyport.step") == "AccessShareLock,RowExclusiveLock")

    // After the trigger is removed, a server that sets the column itself can still connect, and one that doesn't
    // cannot.
    let last = try Self.open(database, .last())
    defer { last.close() }
    try await last.connect()
    let other = try Self.open(database, .next())
    defer { other.close() }
    try await other.connect()
    let rejected = try Self.open(database, .previous)
    defer { rejected.close() }
    let reason = "the database was written by a newer version of Sallyport; use that version"
    await #expect(throws: StoreError.unusable(reason: reason)) { try await rejected.connect() }
  }

  @Test("an interrupted backfill continues, and changes no row a second time")
  func continuesBackfill() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let previous = try Self.open(database, .previous)
    defer { previous.close() }
    try await Self.insertTokens(400, in: database, previous)
    // The backfill divides by the lifetime of each token, so this lifetime of zero makes it fail.
    try database.query("UPDATE sallyport.refresh_token SET expires_at = issued_at WHERE grant_id = 'grant-3' AND number = 350")
    let interrupted = try Self.open(database, .next(stepSize: 100))
    defer { interrupted.close() }
    let error = await #expect(throws: StoreError.self) { try await interrupted.connect() }
    guard case .unusable = error else {
      Issue.record("\(String(describing: error)) is not permanent")
      return
    }
    let unfilled = "SELECT count(*) FROM sallyport.refresh_token WHERE issued_on IS NULL"
    // The steps before the failure filled the rows of three grants, and the first 300 rows of grant-3.
    #expect(try database.query(unfilled) == "\(Self.grants * 400 - 1_500)")
    // Without triggers, so that this change is not recorded as a step.
    try database.query(
      """
      SET session_replication_role = replica;
      UPDATE sallyport.refresh_token SET expires_at = issued_at + 1 WHERE expires_at = issued_at;
      """)
    let store = try Self.open(database, .next(stepSize: 100))
    defer { store.close() }
    try await store.connect()
    #expect(try database.query(unfilled) == "0")
    #expect(try database.query("SELECT sum(rows) FROM sallyport.step") == "\(Self.grants * 400)")
    #expect(try Self.largestStep(database) == 100)
  }

  @Test("several servers that migrate at once change all rows in each of two backfills")
  func migratesWithSeveralServers() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let previous = try Self.open(database, .previous)
    defer { previous.close() }
    try await Self.insertTokens(100, in: database, previous)
    let stores = try (0..<3).map { _ in try Self.open(database, .next(stepSize: 10, backfills: ["issued_on", "issued_in"])) }
    defer { for store in stores { store.close() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores { group.addTask { try await store.connect() } }
      try await group.waitForAll()
    }
    let unfilled = "SELECT count(*) FROM sallyport.refresh_token WHERE issued_on IS NULL OR issued_in IS NULL"
    #expect(try database.query(unfilled) == "0")
  }

  @Test("a migration that waits for a table lets other transactions proceed")
  func yieldsToOtherTransactions() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let previous = try Self.open(database, .previous)
    defer { previous.close() }
    try await previous.prepareExample(grants: 1)
    let endpoint = try #require(try PostgresAddress(database.url).endpoints.first)
    let reader = try PostgresConnection(endpoint, until: .now + .seconds(60))
    try reader.enqueue("BEGIN")
    try reader.enqueue("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
    try reader.enqueue("SELECT count(*) FROM refresh_token")
    _ = try reader.exchange(until: .now + .seconds(60))
    let next = try Self.open(database, .next())
    defer { next.close() }
    async let migrated: Void = next.connect()
    try await FailureTests.retrying {
      let waiting = try database.query("SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")
      guard waiting == "1" else { throw StoreError.unavailable(reason: "the migration does not wait") }
    }
    #expect(try await previous.write { (tx) throws(StoreError) in try tx.rotate(1, of: 0) })
    reader.close()
    try await migrated
  }
}

extension MigrationTests {
  private static func open(_ database: TestDatabase, _ schema: Schema) throws -> PostgresStore {
    PostgresStore(try PostgresAddress(database.url), limits: .patient, schema: schema)
  }

  /// Inserts `count` tokens for each grant. All but the last one are marked as replaced.
  private static func insertTokens(_ count: Int, in database: TestDatabase, _ store: PostgresStore) async throws {
    try await store.prepareExample(grants: Self.grants)
    let time = Timestamp.example.milliseconds
    // Without triggers, because the tokens of a grant would otherwise have to be inserted one after the other.
    try database.query(
      """
      SET session_replication_role = replica;
      DELETE FROM sallyport.refresh_token;
      INSERT INTO sallyport.refresh_token (grant_id, number, fingerprint, issued_at, expires_at, consumed_at)
        SELECT 'grant-' || g, n, decode(repeat(lpad(to_hex(n % 256), 2, '0'), 32), 'hex'), \(time), \(time + 3_600_000),
          CASE WHEN n < \(count) THEN \(time) END
        FROM generate_series(0, \(Self.grants - 1)) g, generate_series(1, \(count)) n;
      """)
  }

  /// Rotates tokens of a grant until `isEnd` returns `true`, and then rotates once more.
  private static func rotate(
    from first: Int, of grant: Int, in store: PostgresStore, until isEnd: @Sendable () -> Bool
  ) async throws {
    var (number, ends) = (Int64(first), false)
    while !ends {
      ends = isEnd()
      let current = number
      #expect(try await store.write { (tx) throws(StoreError) in try tx.rotate(current, of: grant) })
      number += 1
    }
  }

  private static func waitForRotations(after number: Int, in database: TestDatabase) async throws {
    try await FailureTests.retrying {
      let grants = try database.query("SELECT count(DISTINCT grant_id) FROM sallyport.refresh_token WHERE number > \(number)")
      guard grants == "\(Self.grants)" else { throw StoreError.unavailable(reason: "only \(grants) grants were used") }
    }
  }

  /// The largest number of rows that one transaction of a backfill has changed.
  private static func largestStep(_ database: TestDatabase) throws -> Int {
    let rows = try database.query("SELECT max(n) FROM (SELECT sum(rows) AS n FROM sallyport.step GROUP BY transaction) AS steps")
    return try #require(Int(rows))
  }
}

extension Schema {
  private static var lastNumber: Int64 { Schema.migrations.last?.number ?? 0 }

  fileprivate static var previous: Schema { .current }

  /// The version that adds the columns and the trigger.
  /// - Parameter backfills: The columns that are filled.
  fileprivate static func next(stepSize: Int = 1_000, backfills: [String] = ["issued_on"]) -> Schema {
    Schema(
      version: Self.current.version + 1,
      migrations: Self.migrations + [Self.expansion]
        + backfills.enumerated().map { Self.backfill($0.element, number: Self.lastNumber + 2 + Int64($0.offset), stepSize) })
  }

  /// The version after ``next(stepSize:backfills:)``. It removes the trigger, and raises the schema version of the
  /// database, so that servers of the version ``previous`` no longer open the database.
  fileprivate static func last() -> Schema {
    let next = Self.next()
    let contraction = Migration(
      number: Self.lastNumber + 3,
      statements: """
        DROP TRIGGER refresh_token_sets_issued_on ON refresh_token;
        ALTER TABLE refresh_token ADD CHECK (issued_on IS NOT NULL) NOT VALID;
        """, schemaVersion: next.version)
    return Schema(version: next.version, migrations: next.migrations + [contraction])
  }

  private static var expansion: Migration {
    Migration(
      number: Self.lastNumber + 1,
      statements: """
        ALTER TABLE refresh_token ADD COLUMN issued_on BIGINT, ADD COLUMN issued_in BIGINT;
        CREATE FUNCTION set_issued_on() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.issued_on := NEW.issued_at / (NEW.expires_at - NEW.issued_at); RETURN NEW; END $$;
        CREATE TRIGGER refresh_token_sets_issued_on BEFORE INSERT ON refresh_token
          FOR EACH ROW EXECUTE FUNCTION set_issued_on();
        \(Self.observation)
        """)
  }

  private static func backfill(_ column: String, number: Int64, _ stepSize: Int) -> Migration {
    // The table exists, so the value after `??` is never used.
    let table = StoredTable.all.first { $0.name == "refresh_token" } ?? StoredTable.all[0]
    return Migration(
      number: number,
      backfill: Backfill(
        table: table, assignments: "\(column) = issued_at / (expires_at - issued_at)", condition: "\(column) IS NULL",
        stepSize: stepSize))
  }

  /// Records how many rows each statement of a backfill changes, and its locks. The isolation level shows which
  /// transactions are backfills: all others are serializable.
  private static let observation = """
    CREATE TABLE step (transaction BIGINT, rows BIGINT, locks TEXT);
    CREATE FUNCTION record_step() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('transaction_isolation') = 'read committed' THEN
        INSERT INTO sallyport.step SELECT txid_current(), count(*), (
          SELECT string_agg(DISTINCT mode, ',') FROM pg_locks
          WHERE pid = pg_backend_pid() AND relation = 'sallyport.refresh_token'::regclass) FROM changed;
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER records_step AFTER UPDATE ON refresh_token REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION record_step();
    """
}
