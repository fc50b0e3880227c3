import FoundationEssentials
import SallyportPostgres
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// Checks the database: a SQLite database for damage and its schema version, and a PostgreSQL database with
/// ``PostgresCheckup``. Also checks the content: signing keys, client registrations, rows that were created in the
/// future, users who share a verified email address, clients that do not accept notifications of sign-outs, and expired
/// rows that have not been removed.
struct DatabaseCheckup {
  var findings: [Finding] = []
  /// The `kid` of each published key.
  var signingKeys: [String] = []
  /// The other OpenID providers through which users can sign in.
  var upstreams: [UpstreamRecord] = []

  /// The default number of expired rows above which a warning is reported.
  private static var maximumExpiredRows: Int { 100_000 }
  /// The maximum number of warnings about shared email addresses.
  private static var maximumSharedAddresses: Int { 10 }

  /// Checks a SQLite database. A server may be using it at the same time.
  /// - Parameter maximumExpiredRows: The number of expired rows above which a warning is reported.
  static func run(
    _ settings: ServerSettings, maximumExpiredRows: Int = maximumExpiredRows
  ) async throws -> DatabaseCheckup {
    let path = "\(settings.data)/\(DataFiles.database)"
    let condition: DatabaseCondition
    do throws(StoreError) { condition = try DatabaseCondition(ofDatabase: path, thoroughly: false) } catch {
      return DatabaseCheckup(findings: [.problem("database", "the database cannot be read: \(error.reason)")])
    }
    var checkup = DatabaseCheckup(findings: Self.findings(condition))
    guard condition.version == .current, condition.damage.isEmpty else { return checkup }
    do {
      let directory = try DataDirectory(path: settings.data)
      if case .sqlite(let store) = directory.database {
        checkup.checkExpiredRows(try await store.countExpired(before: Self.removalDeadline), maximum: maximumExpiredRows)
      }
      try await checkup.checkContent(of: directory.store, directory.masterKey, settings)
    } catch let error as Failure {
      checkup.findings.append(.problem("database", error.message))
    } catch let error as StoreError {
      checkup.findings.append(.problem("database", error.reason))
    }
    return checkup
  }

  /// Checks a PostgreSQL database. Does not create its schema.
  /// - Parameter maximumExpiredRows: The number of expired rows above which a warning is reported.
  static func run(
    _ settings: ServerSettings, _ address: PostgresAddress, maximumExpiredRows: Int = maximumExpiredRows
  ) async throws -> DatabaseCheckup {
    var checkup = DatabaseCheckup()
    let store = PostgresStore(address, createsSchema: false)
    defer { store.close() }
    do {
      guard let key = try KeyFile(path: "\(settings.data)/\(DataFiles.key)").read() else {
        throw Failure(
          """
          \(settings.data) contains no key file; if another server uses this database, copy its key file; otherwise start the \
          server, which creates one
          """)
      }
      try await store.connect()
      checkup.findings += PostgresCheckup(condition: try await store.condition(), hosts: address.hosts).findings()
      checkup.checkExpiredRows(try await store.countExpired(before: Self.removalDeadline), maximum: maximumExpiredRows)
      try await checkup.checkContent(of: store, key, settings)
    } catch let error as Failure {
      checkup.findings.append(.problem("files", error.message))
    } catch let error as StoreError {
      checkup.findings.append(.problem("database", error.reason))
    }
    return checkup
  }

  /// Only rows that expired before this time are counted. A running server keeps expired rows for five minutes
  /// (``ExpiryService``) and then removes them in small steps, so rows that expired later may still exist.
  private static var removalDeadline: Timestamp { .now() - .seconds(600) }

  private mutating func checkExpiredRows(_ count: Int, maximum: Int) {
    guard count > maximum else { return }
    self.findings.append(
      .warning(
        "database",
        """
        \(count) expired rows have not been removed; a running server removes them, so check that one runs and is not \
        overloaded
        """
      ))
  }

  private mutating func checkContent(
    of store: any Store, _ masterKey: MasterKey, _ settings: ServerSettings
  ) async throws {
    let keys = try await KeyManagement(store: store, masterKey: masterKey, lifetimes: settings.server.lifetimes).list()
    self.signingKeys = keys.map(\.id)
    self.upstreams = try await Upstreams(store: store).list()
    self.findings += KeysCheckup(keys: keys, masterKey: masterKey).findings()
    self.findings += try await Self.contentFindings(of: store, settings)
  }

  static func findings(_ condition: DatabaseCondition) -> [Finding] {
    var findings: [Finding] = condition.damage.map { .problem("database", "the database is damaged: \($0); restore a backup") }
    switch condition.version {
    case .current: break
    case .older:
      findings.append(
        .warning("database", "the database has an earlier schema version; the next start of the server upgrades it"))
    case .newer:
      findings.append(.problem("database", "the database was written by a newer version of Sallyport; use that version"))
    case .foreign: findings.append(.problem("database", "\(DataFiles.database) is not a Sallyport database"))
    }
    return Finding.list("database", findings, otherwise: "intact, with the current schema version")
  }

  private static func contentFindings(
    of store: any Store, _ settings: ServerSettings
  ) async throws(StoreError) -> [Finding] {
    let (clients, deliveries) = try await store.read { (tx) throws(StoreError) in
      (try tx.clients(), try tx.logoutDeliveries())
    }
    let accounts = try await store.allAccounts()
    let now = Timestamp.now()
    var findings: [Finding] = []
    let latestCreation = (clients.map(\.createdAt) + accounts.map(\.createdAt)).max() ?? now
    if latestCreation > now + .seconds(60) {
      findings.append(
        .problem(
          "clock",
          """
          the database contains rows from \(latestCreation.date.formatted(.iso8601)), which is in the future; check the \
          clock, which may have been set back
          """
        ))
    }
    let shared = SharedAddress.find(in: accounts)
    findings += shared.prefix(Self.maximumSharedAddresses).map { .warning("accounts", $0.warning) }
    let others = shared.count - Self.maximumSharedAddresses
    if others > 0 {
      findings.append(
        .warning("accounts", "verified email addresses that belong to several users, in addition to these: \(others)"))
    }
    // One or two attempts can fail because of a short interruption.
    let failing = deliveries.filter { $0.attempts >= 3 }
    for client in Set(failing.map(\.client.rawValue)).sorted() {
      findings.append(
        .warning(
          "clients", "\(client) does not accept notifications at its back-channel logout URI, so it does not learn of sign-outs"))
    }
    return findings + ClientsCheckup(clients: clients, configuration: settings.server).findings()
  }
}
