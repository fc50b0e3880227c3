import Foundation
import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportPostgres

/// Failures of PostgreSQL, and databases that a store cannot use. Each test that changes the settings of the whole
/// server has a server of its own.
@Suite("Failures of PostgreSQL", .serialized, .timeLimit(.minutes(3)))
struct FailureTests {
  @Test("a read that gets no response by its deadline fails, and a later read succeeds")
  func failsAtDeadline() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.short)
    try await Self.retrying { try await store.connect() }
    let process = try Self.serverProcess(of: database)
    kill(process, SIGSTOP)
    let error = await #expect(throws: StoreError.self) { try await Self.readIdentifier(1, in: store) }
    #expect(Self.isOutcomeUnknown(error) == false)
    kill(process, SIGCONT)
    try await Self.retrying { try await Self.readIdentifier(2, in: store) }
  }

  @Test("the check of the disk space fails if PostgreSQL cannot write a temporary file, although small changes still succeed")
  func checksDiskSpace() async throws {
    let database = try TestDatabase(PostgresCluster(settings: ["fsync=off"]))
    defer { database.close() }
    let store = try database.open()
    try await Self.insert(1, in: store)
    try await store.checkDiskSpace()
    try database.cluster.rejectTemporaryFiles()
    try await Self.insert(2, in: store)
    let error = await #expect(throws: StoreError.self) { try await store.checkDiskSpace() }
    guard case .unavailable? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    // With this limit, PostgreSQL would reject the file even if the disk has space, so the check does not write one.
    try database.query("ALTER DATABASE \(database.name) SET temp_file_limit = 0")
    try await database.open().checkDiskSpace()
  }

  @Test("if connecting leaves too little time for a transaction, it fails, and a later transaction uses the connection")
  func keepsConnectionOfLateTransaction() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await database.open().connect()
    // Connecting takes two messages of 1.1 seconds each. Of the three seconds, less than one is left for a transaction.
    let network = try SlowNetwork(database.cluster, delay: 1.1)
    var limits = PostgresStore.Limits.short
    limits.requestTimeout = .seconds(3)
    let store = try database.open(limits, over: network)
    let error = await #expect(throws: StoreError.self) { try await Self.insert(1, in: store) }
    #expect(error == .unavailable(reason: "too little time was left for a transaction"))
    try await Self.insert(2, in: store)
    #expect(network.openedConnections == 1)
  }

  @Test("a read that waits for a new connection uses the connection that becomes free first")
  func prefersFreeConnection() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await database.open().connect()
    let network = try SlowNetwork(database.cluster, delay: 0)
    let store = try database.open(over: network)
    try await store.connect()
    network.blockNewConnections()
    let end = DispatchSemaphore(value: 0)
    let (began, continuation) = AsyncStream.makeStream(of: Void.self)
    async let busy: Void = store.read { (_) throws(StoreError) in
      continuation.finish()
      end.wait()
    }
    for await _ in began {}
    async let waiting: Void = Self.readIdentifier(1, in: store)
    try await Self.retrying {
      guard network.openedConnections > 1 else { throw StoreError.unavailable(reason: "no other connection was opened") }
    }
    end.signal()
    try await busy
    try await waiting
    // The other connection is closed when the network is deallocated, so the network must exist until here.
    withExtendedLifetime(network) {}
  }

  @Test("the outcome of a commit is unknown if PostgreSQL does not respond by the deadline")
  func freezesDuringCommit() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.short)
    try await Self.retrying { try await Self.insert(1, in: store) }
    let process = try Self.serverProcess(of: database)
    kill(process, SIGSTOP)
    let error = await #expect(throws: StoreError.self) { try await Self.insert(2, in: store) }
    #expect(Self.isOutcomeUnknown(error))
    kill(process, SIGCONT)
    try await Self.retrying { try await Self.insert(3, in: store) }
  }

  @Test("the outcome of a commit is unknown if the standby does not confirm it, and no cancel request is sent")
  func waitsForStandby() async throws {
    let database = try TestDatabase(PostgresCluster(settings: ["fsync=off"]))
    defer { database.close() }
    let store = try database.open(.short)
    try await Self.retrying { try await Self.insert(1, in: store) }
    try Self.requireStandby(on: database.cluster)
    let error = await #expect(throws: StoreError.self) { try await Self.insertUntilFailure(in: store) }
    #expect(Self.isOutcomeUnknown(error))
    // The commit still waits for the standby, so the store did not cancel it.
    #expect(try database.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1")
  }

  @Test("the outcome of a commit is unknown if an administrator ends its wait for the standby")
  func endsWaitForStandby() async throws {
    let database = try TestDatabase(PostgresCluster(settings: ["fsync=off"]))
    defer { database.close() }
    let store = try database.open()
    try await Self.insert(1, in: store)
    try Self.requireStandby(on: database.cluster)
    async let written: Void = Self.insertUntilFailure(in: store)
    try await Self.cancelWait(in: database)
    do { try await written } catch { #expect(Self.isOutcomeUnknown(error as? StoreError)) }
    // If the store had reported success or repeated the commit, another commit would follow, and would wait.
    try await Self.waitUntilNoCommitWaits(in: database)
  }

  @Test("a decision without a change, such as the rejection of an unknown code, waits for the standby too")
  func confirmsDecisions() async throws {
    let database = try TestDatabase(PostgresCluster(settings: ["fsync=off"]))
    defer { database.close() }
    let store = try database.open(.short)
    try await Self.retrying { try await Self.insert(1, in: store) }
    try Self.requireStandby(on: database.cluster)
    let code = AuthorizationCode.random(of: .random(for: AccountID(rawValue: "acct"), at: .now(), in: store.grantOrder))
    let error = await #expect(throws: StoreError.self) {
      // The setting takes effect a moment after the reload.
      for _ in 0..<50 {
        let isKnown = try await store.write { (tx) throws(StoreError) in
          try tx.authorizationCode(code.fingerprint, of: code.grant) != nil
        }
        #expect(!isKnown)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    #expect(Self.isOutcomeUnknown(error))
    // Reads do not wait.
    #expect(try await store.read { (tx) throws(StoreError) in try tx.configurationVersion() } > 0)
  }

  @Test("the outcome of a commit is unknown if the server's process is killed, and the store then uses the restarted server")
  func killsServerProcess() async throws {
    let database = try TestDatabase(PostgresCluster(settings: ["fsync=off"]))
    defer { database.close() }
    let store = try database.open()
    try await Self.insert(1, in: store)
    try Self.requireStandby(on: database.cluster)
    async let written: Void = Self.insertUntilFailure(in: store)
    try await Self.retrying { kill(try Self.waitingProcess(in: database), SIGKILL) }
    do { try await written } catch { #expect(Self.isOutcomeUnknown(error as? StoreError)) }
    // If the store had reported success or repeated the commit, another commit would follow, and would wait.
    try await Self.waitUntilNoCommitWaits(in: database)
    try await Self.retrying { try database.cluster.query("ALTER SYSTEM RESET synchronous_standby_names") }
    try database.cluster.query("SELECT pg_reload_conf()")
    try await Self.retrying { try await Self.insert(3, in: store) }
  }

  /// - Parameter state: The SQLSTATE of the warning: `01000` is the default, and `57P01` means that the server ends the
  ///   session.
  @Test(
    "a warning during COMMIT makes the outcome unknown only if it can mean that the commit did not wait for its standby",
    arguments: [("01000", false), ("57P01", true)])
  func warnsDuringCommit(_ state: String, isUnknown: Bool) async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await Self.insert(1, in: store)
    try database.query(
      """
      CREATE FUNCTION sallyport.warn() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE WARNING USING ERRCODE = '\(state)', MESSAGE = 'something else'; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON sallyport.used_identifier DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION sallyport.warn();
      """)
    guard isUnknown else {
      try await Self.insert(2, in: store)
      return
    }
    let error = await #expect(throws: StoreError.self) { try await Self.insert(2, in: store) }
    guard case .outcomeUnknown(let reason) = error else {
      Issue.record("\(String(describing: error)) does not say that the outcome is unknown")
      return
    }
    #expect(reason.contains("something else"))
  }

  @Test(
    "in the audit trail, an unknown reason of a newer version is read as nil, and a record of an unknown event is left out")
  func unknownAuditValues() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await Self.insert(1, in: store)
    try database.query(
      """
      INSERT INTO sallyport.audit VALUES
        ('00000000001-a', 1, 'signed-in', 'new', 'request', NULL, NULL, 'acct-a', NULL, NULL, NULL, NULL, 0),
        ('00000000002-a', 2, 'new', NULL, 'request', NULL, NULL, 'acct-a', NULL, NULL, NULL, NULL, 0);
      """)
    var query = AuditQuery(limit: 9)
    query.account = AccountID(rawValue: "acct-a")
    let records = try await store.read { [query] (tx) throws(StoreError) in try tx.auditRecords(query) }
    #expect(records.map(\.event) == [.signedIn] && records.first?.reason == nil)
  }

  @Test("if the deadline passes after an attempt that assumed a wrong result of a write, the error is not a conflict")
  func expiresAfterWrongAssumption() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    var limits = PostgresStore.Limits.short
    limits.requestTimeout = .seconds(5)
    let store = try database.open(limits)
    try await Self.retrying { try await store.connect() }
    let timeout = limits.requestTimeout
    let error = await #expect(throws: StoreError.self) {
      try await store.write { (tx) throws(StoreError) in
        _ = try tx.consumeInteraction("interaction", expires: .example)
        _ = try tx.consumeInteraction("interaction", expires: .example)
        // This read sends the writes. The second write was assumed to change a row, but changes none.
        do throws(StoreError) { _ = try tx.isInteractionConsumed("interaction") } catch {
          Socket.sleep(timeout)
          throw error
        }
      }
    }
    #expect(error == .unavailable(reason: "too little time was left to run the transaction again"))
  }

  @Test("commits are durable although the database is configured otherwise", arguments: ["off", "local", "remote_write"])
  func raisesSynchronousCommit(_ value: String) async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try database.query("ALTER DATABASE \"\(database.name)\" SET synchronous_commit = \(value)")
    let store = try database.open()
    let used = try await store.inspect { (snapshot) throws(StoreError) in
      try snapshot.row("SELECT current_setting('synchronous_commit')") { (row) throws(StoreError) in try row[0] as String }
    }
    #expect(used == "on")
    let condition = try await store.condition()
    #expect(condition.synchronousCommit == value && condition.isCommitWeak)
  }

  @Test("a server that accepts only reads is not used")
  func rejectsReadOnlyServer() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await Self.insert(1, in: store)
    try database.query("ALTER DATABASE \"\(database.name)\" SET default_transaction_read_only = on")
    let other = try database.open()
    let error = await #expect(throws: StoreError.self) { try await other.connect() }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error)) is not temporary")
      return
    }
  }

  @Test("a database with a newer version of the schema is rejected")
  func rejectsNewerSchema() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await database.open().connect()
    try database.query("UPDATE sallyport.schema_version SET version = version + 1")
    let error = await #expect(throws: StoreError.self) { try await database.open().connect() }
    guard case .unusable = error else {
      Issue.record("\(String(describing: error)) is not permanent")
      return
    }
  }

  @Test("a database with an encoding other than UTF8 is rejected")
  func rejectsOtherEncodings() async throws {
    let cluster = try PostgresCluster.shared()
    let name = "latin_\(UInt64.random(in: 0 ... .max))"
    try cluster.query("CREATE DATABASE \"\(name)\" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    let store = PostgresStore(try PostgresAddress(cluster.url(name)), limits: .patient)
    defer { store.close() }
    let error = await #expect(throws: StoreError.self) { try await store.connect() }
    guard case .unusable = error else {
      Issue.record("\(String(describing: error)) is not permanent")
      return
    }
  }

  @Test("a read fails if all connections are busy until its deadline")
  func limitsWaiting() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    var limits = PostgresStore.Limits.short
    limits.connections = 1
    let store = try database.open(limits)
    try await Self.retrying { try await store.connect() }
    let end = DispatchSemaphore(value: 0)
    let (began, continuation) = AsyncStream.makeStream(of: Void.self)
    let busy = Task {
      try await store.read { (_) throws(StoreError) in
        continuation.finish()
        end.wait()
      }
    }
    for await _ in began {}
    await #expect(throws: StoreError.self) { try await Self.readIdentifier(1, in: store) }
    end.signal()
    try await busy.value
  }
}

extension FailureTests {
  static func isOutcomeUnknown(_ error: StoreError?) -> Bool {
    if case .outcomeUnknown = error { true } else { false }
  }

  /// Commits until a commit fails, and throws the error of this commit. Several commits may succeed first, because
  /// PostgreSQL does not apply a changed setting at once.
  static func insertUntilFailure(in store: PostgresStore) async throws(StoreError) {
    for number in 1_000... { try await Self.insert(number, in: store) }
  }

  static func insert(_ number: Int, in store: PostgresStore) async throws(StoreError) {
    let identifier = Fingerprint(of: Secret("\(number)"))
    _ = try await store.write { (tx) throws(StoreError) in
      try tx.consumeIdentifier(identifier, expires: Timestamp(seconds: 1_900_000_000))
    }
  }

  static func readIdentifier(_ number: UInt8, in store: PostgresStore) async throws(StoreError) {
    let key = Fingerprint(bytes: Array(repeating: number, count: 32))
    _ = try await store.read { (snapshot) throws(StoreError) in try snapshot.isIdentifierConsumed(key) }
  }

  /// PostgreSQL's process for the store's only connection.
  static func serverProcess(of database: TestDatabase) throws -> Int32 {
    let text = try database.cluster.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'sallyport'")
    return try #require(Int32(text))
  }

  /// The processes whose commit waits for the standby, one per line.
  private static func waitingProcesses(in database: TestDatabase) throws -> String {
    try database.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'sallyport'")
  }

  /// The process whose commit waits for the standby.
  static func waitingProcess(in database: TestDatabase) throws -> Int32 {
    guard let process = Int32(try Self.waitingProcesses(in: database)) else {
      throw StoreError.unavailable(reason: "no commit waits")
    }
    return process
  }

  static func waitUntilNoCommitWaits(in database: TestDatabase) async throws {
    try await Self.retrying {
      let processes = try Self.waitingProcesses(in: database)
      guard processes.isEmpty else { throw StoreError.unavailable(reason: "the commits of \(processes) still wait") }
    }
  }

  /// Makes commits wait for a standby that does not exist.
  static func requireStandby(on cluster: PostgresCluster) throws {
    try cluster.query("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
    try cluster.query("SELECT pg_reload_conf()")
  }

  /// Waits until a commit waits for the standby, and ends this wait.
  static func cancelWait(in database: TestDatabase) async throws {
    try await Self.retrying {
      let process = try Self.waitingProcess(in: database)
      try database.cluster.query("SELECT pg_cancel_backend(\(process))")
    }
  }

  /// Repeats an action until it succeeds. Throws its error if it still fails after at least 30 seconds.
  static func retrying(_ action: () async throws -> Void) async throws {
    for _ in 0..<300 {
      do { return try await action() } catch { try await Task.sleep(for: .milliseconds(100)) }
    }
    try await action()
  }
}

extension PostgresStore.Limits {
  /// One connection and a request timeout of one second, for tests of deadlines.
  fileprivate static var short: Self {
    var limits = Self()
    limits.connections = 1
    limits.requestTimeout = .seconds(1)
    limits.connectTimeout = .seconds(30)
    return limits
  }
}
