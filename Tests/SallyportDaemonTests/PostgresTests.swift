import ArgumentParser
import Foundation
import Logging
import PostgresTestSupport
import SallyportMetrics
import SallyportObservability
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportDaemon
@testable import SallyportPostgres

@Suite("A server with a PostgreSQL database", .serialized, .timeLimit(.minutes(3)))
struct PostgresTests {
  private struct Site {
    let cluster: PostgresCluster
    let database = "daemon_\(UInt64.random(in: 0 ... .max))"
    let folder: Folder

    init() throws {
      self.cluster = try .shared()
      self.folder = try Folder()
    }

    func directory(_ name: String = "data") throws -> DataDirectory {
      try DataDirectory(path: "\(self.folder.path)/\(name)", database: PostgresAddress(self.cluster.url(self.database)))
    }

    /// All signing keys, as the database stores them.
    func signingKeys() throws -> String {
      try self.cluster.query("SELECT * FROM sallyport.signing_key ORDER BY 1", in: self.database)
    }

    func application(_ directory: DataDirectory) async throws -> ServerApplication {
      var settings = ServerSettings(issuer: try Issuer("http://localhost:1"))
      (settings.data, settings.port, settings.logLevel) = ("\(self.folder.path)/data", 0, .critical)
      return try await ServerApplication(directory: directory, settings: settings)
    }
  }

  @Test("the server starts without its database, is not ready, and becomes ready when the database is available")
  func startsWithoutDatabase() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    let application = try await site.application(site.directory())
    try await application.withRunningServer { _ in
      #expect(await application.readiness.status() == .storeUnavailable)
      try site.cluster.makeDatabase(site.database)
      for _ in 0..<300 where await application.readiness.status() != .ready { try await Task.sleep(for: .milliseconds(100)) }
      #expect(await application.readiness.status() == .ready)
    }
    let keys = try await application.directory.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
    #expect(Set(keys.map(\.algorithm)) == ["ES256", "RS256"])
  }

  @Test("a server that starts while its database is unavailable publishes the public keys that it has read before")
  func publishesSavedKeys() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    let file = "\(site.folder.path)/data/jwks.json"
    try site.cluster.makeDatabase(site.database)
    let keys = try await site.application(site.directory()).server.cache.publishedKeys()
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let saved = try #require(FileManager.default.contents(atPath: file))
    #expect(!String(decoding: saved, as: UTF8.self).contains("\"d\":"), "the file contains no private keys")

    // Returns a server with the same folder, but with a database that does not exist.
    func startedServer() async throws -> ServerApplication {
      try await site.application(
        DataDirectory(path: "\(site.folder.path)/data", database: PostgresAddress(site.cluster.url("missing_\(site.database)"))))
    }
    let application = try await startedServer()
    #expect(await application.readiness.status() != .ready)
    #expect(try await application.server.cache.publishedKeys() == keys)
    try Data("[".utf8).write(to: URL(filePath: file))
    let damaged = try await startedServer()
    await #expect(throws: KeyRingError.self) { try await damaged.server.cache.publishedKeys() }
  }

  @Test("the identifiers of new grants begin with the account's shard, with and without metrics")
  func grantOrder() throws {
    let site = try Site()
    defer { site.folder.remove() }
    let store = try site.directory().store
    #expect(store.grantOrder == .shard)
    // `MeasuredStore` wraps a store to record metrics, and must pass on the order of that store.
    let metrics = ServerMetrics(factory: PrometheusMetrics(describing: ServerMetrics.descriptions))
    #expect(MeasuredStore(store, metrics: metrics, tracing: .off).grantOrder == .shard)
  }

  @Test("a server does not start if its key file differs from the key file of the first server")
  func rejectsOtherKeyFile() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    _ = try await site.application(site.directory())
    let failure = await #expect(throws: Failure.self) { _ = try await site.application(site.directory("other")) }
    #expect(failure?.exitCode == 3)
  }

  @Test(
    "commands with a missing or another key file exit with 3, say what to do, and neither create files nor change keys",
    arguments: [["list"], ["rotate"]], [false, true])
  func rejectsOtherKeyFile(of words: [String], hasOtherFile: Bool) async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    _ = try await site.application(site.directory())
    let path = "\(site.folder.path)/other"
    if hasOtherFile { _ = try site.directory("other") }
    let keys = try site.signingKeys()
    let failure = await #expect(throws: Failure.self) {
      try await Self.run(["key"] + words + ["--data", path, "--database", site.cluster.url(site.database)])
    }
    #expect(failure?.exitCode == 3)
    #expect(failure?.message.contains("copy the key file") == true, "\(String(describing: failure?.message))")
    #expect(FileSystem.exists(path) == hasOtherFile)
    #expect(try site.signingKeys() == keys)
  }

  @Test("'key rotate --immediately' replaces keys that the key file cannot decrypt, and creates the key file if it is missing")
  func replacesLostKeyFile() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    _ = try await site.application(site.directory())
    let options = ["--data", "\(site.folder.path)/other", "--database", site.cluster.url(site.database)]
    try await Self.run(["key", "rotate", "--immediately"] + options)
    try await Self.run(["key", "list"] + options)
    _ = try await site.application(site.directory("other"))
  }

  @Test("the first command creates the key file, with which a server then starts")
  func createsKeyFile() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    try await Self.run(["user", "list", "--data", "\(site.folder.path)/data", "--database", site.cluster.url(site.database)])
    _ = try await site.application(site.directory())
  }

  @Test("a command whose database cannot be reached creates no files, and says what to check")
  func createsNothingWithoutDatabase() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    let path = "\(site.folder.path)/data"
    let failure = await #expect(throws: Failure.self) {
      try await Self.run(["user", "list", "--data", path, "--database", "postgres://127.0.0.1:1/sallyport"])
    }
    #expect(failure?.exitCode == 1 && failure?.message.contains("check that PostgreSQL runs") == true)
    #expect(!FileSystem.exists(path))
  }

  /// Runs a command in this process.
  private static func run(_ words: [String]) async throws {
    var command = try #require(try Sallyportd.command(for: words) as? any AsyncParsableCommand)
    try await command.run()
  }

  @Test("commands exit with 1 if the database cannot be reached, and with 3 if its version is not supported")
  func exitCodes() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    let directory = try site.directory()
    let unreachable = await #expect(throws: Failure.self) { try await directory.connect() }
    #expect(unreachable?.exitCode == 1)
    try site.cluster.makeDatabase(site.database)
    try await site.directory().connect()
    try site.cluster.query("UPDATE sallyport.schema_version SET version = version + 1", in: site.database)
    let unusable = await #expect(throws: Failure.self) { try await site.directory().connect() }
    #expect(unusable?.exitCode == 3)
  }

  @Test("doctor warns about commits that can be lost", arguments: ["off", "local", "remote_write"])
  func weakCommits(_ value: String) async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    try site.cluster.query("ALTER DATABASE \"\(site.database)\" SET synchronous_commit = \(value)")
    let store = PostgresStore(try PostgresAddress(site.cluster.url(site.database)))
    defer { store.close() }
    let warnings = PostgresCheckup(condition: try await store.condition(), hosts: []).findings().filter { $0.level == .warning }
    for words in ["synchronous_commit is \(value)", "acknowledged data can be lost"] {
      #expect(warnings.contains { $0.about == "replication" && $0.text.contains(words) }, "\(warnings)")
    }
  }

  @Test("doctor reports late standbys, missing synchronous standbys, and clocks that differ by more than five seconds")
  func replicationAndClock() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    let store = PostgresStore(try PostgresAddress(site.cluster.url(site.database)))
    defer { store.close() }
    let healthy = try await store.condition()
    func findings(_ change: (inout PostgresCondition) -> Void) -> [String] {
      var condition = healthy
      condition.clockOffset = .zero
      condition.synchronousStandbyNames = "a"
      condition.standbys = [.init(name: "a", mode: "sync", lag: .seconds(10), missingBytes: 64 << 20)]
      change(&condition)
      return PostgresCheckup(condition: condition, hosts: []).findings().filter { $0.level != .ok }.map {
        "\($0.level): \($0.text)"
      }
    }
    #expect(findings { _ in } == [])
    #expect(findings { $0.standbys?[0].lag = .milliseconds(10_001) } == ["warning: the standby a is 10.001 seconds behind"])
    let distant = findings { condition in
      condition.standbys?[0].lag = nil
      condition.standbys?[0].missingBytes = 65 << 20
    }
    #expect(distant == ["warning: the standby a is 65 MiB of the log behind"])
    for standbys: [PostgresCondition.Standby] in [[], [.init(name: "a", mode: "async")]] {
      let problems = findings { $0.standbys = standbys }
      #expect(problems == ["problem: no synchronous standby is connected, so writes do not complete"])
    }
    for offset in [Duration.seconds(5), .seconds(-5)] { #expect(findings { $0.clockOffset = offset } == []) }
    for offset in [Duration.milliseconds(5_001), .milliseconds(-5_001)] {
      let problems = findings { $0.clockOffset = offset }
      #expect(
        problems.count == 1 && problems.first?.hasPrefix("problem: the clock of the database differs") == true, "\(problems)")
    }
  }

  @Test("doctor measures how much of the log a standby has not confirmed")
  func distantStandby() async throws {
    let cluster = try PostgresCluster(settings: ["fsync=off", "max_wal_size=1GB"])
    let folder = try Folder()
    defer { folder.remove() }
    try cluster.makeDatabase("sallyport")
    // pg_receivewal acts as a standby. While it is stopped, it confirms nothing.
    let receiver = Process()
    receiver.executableURL = URL(filePath: "/usr/bin/env")
    receiver.arguments = [
      "pg_receivewal", "--host=\(cluster.folder)", "--username=postgres", "--directory=\(folder.path)", "--status-interval=1",
    ]
    try receiver.run()
    defer {
      kill(receiver.processIdentifier, SIGKILL)
      receiver.waitUntilExit()
    }
    let confirmed = "SELECT count(*) FROM pg_stat_replication WHERE write_lsn IS NOT NULL"
    for _ in 0..<300 where try cluster.query(confirmed) != "1" { try await Task.sleep(for: .milliseconds(100)) }
    kill(receiver.processIdentifier, SIGSTOP)
    // Writes 80 MB to the log.
    try cluster.query("SELECT count(pg_logical_emit_message(false, 'test', repeat('x', 1000000))) FROM generate_series(1, 80)")

    let store = PostgresStore(try PostgresAddress(cluster.url("sallyport")))
    defer { store.close() }
    let condition = try await store.condition()
    #expect(condition.standbys?.first?.missingBytes ?? 0 > 70 << 20, "\(String(describing: condition.standbys))")
  }

  @Test("doctor says which right a role needs to see the standbys")
  func missingRight() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    let role = "\(site.database)_role"
    try site.cluster.query("CREATE ROLE \(role) LOGIN")
    let owner = PostgresStore(try PostgresAddress(site.cluster.url(site.database)))
    defer { owner.close() }
    try await owner.updateSchema(grantingTo: role)
    let url = site.cluster.url(site.database).replacing("postgres@", with: "\(role)@")
    let store = PostgresStore(try PostgresAddress(url), createsSchema: false)
    defer { store.close() }
    func asksForRight() async throws -> Bool {
      PostgresCheckup(condition: try await store.condition(), hosts: []).findings().contains {
        $0.level == .warning && $0.text.contains("grant it pg_read_all_stats")
      }
    }
    #expect(try await asksForRight())
    try site.cluster.query("GRANT pg_read_all_stats TO \(role)")
    #expect(try await !asksForRight())
  }

  @Test("doctor reports missing and invalid indexes as problems")
  func defectiveIndexes() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    let store = PostgresStore(try PostgresAddress(site.cluster.url(site.database)))
    defer { store.close() }
    var condition = try await store.condition()
    (condition.missingIndexes, condition.invalidIndexes) = (["first"], ["second"])
    let problems = PostgresCheckup(condition: condition, hosts: []).findings().filter { $0.level == .problem }
    #expect(problems.contains { $0.text.contains("missing (first)") })
    #expect(problems.contains { $0.text.contains("invalid (second)") && $0.text.contains("REINDEX INDEX CONCURRENTLY") })
  }

  @Test("doctor warns about too many rows that expired more than ten minutes ago")
  func expiredRows() async throws {
    let site = try Site()
    defer { site.folder.remove() }
    try site.cluster.makeDatabase(site.database)
    let application = try await site.application(site.directory())
    try await application.directory.store.write { (tx) throws(StoreError) in
      for (name, ago) in [("a", 700), ("b", 800), ("c", 60)] {
        _ = try tx.consumeInteraction(name, expires: .now() - .seconds(ago))
      }
    }
    var settings = ServerSettings(issuer: try Issuer("http://localhost:1"))
    settings.data = "\(site.folder.path)/data"
    let address = try PostgresAddress(site.cluster.url(site.database))
    for (maximum, count) in [(2, 0), (1, 1)] {
      let findings = try await DatabaseCheckup.run(settings, address, maximumExpiredRows: maximum).findings
      #expect(findings.count { $0.level == .warning && $0.text.hasPrefix("2 expired rows") } == count, "\(findings)")
    }
  }

  @Test("a URL with a password is a mistake in the settings, and the message does not contain the password")
  func rejectsPassword() throws {
    let options = try DataOptions.parse(["--database", "postgres://ada:correct-horse@db.example/sallyport"])
    let mistakes = #expect(throws: SettingsMistakes.self) { try options.address(environment: [:]) }
    #expect(mistakes?.list.count == 1 && mistakes?.list.contains { $0.contains("horse") } == false)
  }

  @Test("--database takes precedence over SALLYPORTD_DATABASE")
  func prefersFlag() throws {
    let environment = ["SALLYPORTD_DATABASE": "postgres:///a?host=/a"]
    #expect(try DataOptions.parse([]).address(environment: environment)?.hosts == ["/a"])
    #expect(try DataOptions.parse(["--database", "postgres:///b?host=/b"]).address(environment: environment)?.hosts == ["/b"])
    #expect(try DataOptions.parse([]).address(environment: [:]) == nil)
  }

  @Test("'backup' and 'restore' are rejected, and the message names pg_basebackup", arguments: ["backup", "restore"])
  func refusesBackup(_ name: String) throws {
    let options = try DataOptions.parse(["--database", "postgres:///sallyport?host=/nowhere"])
    let failure = #expect(throws: Failure.self) { try options.requireSQLite(for: name) }
    #expect(failure?.message.contains("pg_basebackup") == true)
  }
}
