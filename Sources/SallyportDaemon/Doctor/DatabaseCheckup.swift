import FoundationEssentials
import SallyportPostgres
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// Checks the database and its content: damage, the schema version, signing keys, client registrations, times in the
/// future, failing notifications of sign-outs, and expired rows.
struct DatabaseCheckup {
  var findings: [Finding] = []
  /// The `kid` of each published key.
  var signingKeys: [String] = []
  var upstreams: [UpstreamRecord] = []

  /// Checks a database that a server may be using.
  /// - Parameter backlog: The number of expired rows above which a warning is reported.
  static func run(_ settings: ServerSettings, backlog: Int = 100_000) async throws -> DatabaseCheckup {
    let path = "\(settings.data)/\(DataFiles.database)"
    let condition: DatabaseCondition
    do throws(StoreError) { condition = try DatabaseCondition(ofDatabase: path, thoroughly: false) } catch {
      return DatabaseCheckup(findings: [.problem("database", "the database cannot be read: \(error.reason)")])
    }
    var checkup = DatabaseCheckup(findings: Self.findings(condition))
    guard condition.version == .current, condition.damage.isEmpty else { return checkup }
    do {
      let directory = try DataDirectory(path: settings.data)
      try await checkup.checkContent(of: directory.store, directory.masterKey, settings) { () throws(StoreError) in
        guard case .sqlite(let store) = directory.database else { return [] }
        return try await Self.backlogFindings(of: store, limit: backlog)
      }
    } catch let error as Failure {
      checkup.findings.append(.problem("database", error.message))
    } catch let error as StoreError {
      checkup.findings.append(.problem("database", error.reason))
    }
    return checkup
  }

  /// Checks a PostgreSQL database. Does not create its schema.
  static func run(_ settings: ServerSettings, _ address: PostgresAddress) async throws -> DatabaseCheckup {
    var checkup = DatabaseCheckup()
    let store = PostgresStore(address, createsSchema: false)
    defer { store.close() }
    do {
      guard let key = try KeyFile(path: "\(settings.data)/\(DataFiles.key)").read() else {
        throw Failure("\(settings.data) contains no key file; copy the key file of another server, or start the first one")
      }
      try await store.connect()
      checkup.findings += PostgresCheckup(condition: try await store.condition(), hosts: address.hosts).findings()
      try await checkup.checkContent(of: store, key, settings) { [] }
    } catch let error as Failure {
      checkup.findings.append(.problem("files", error.message))
    } catch let error as StoreError {
      checkup.findings.append(.problem("database", error.reason))
    }
    return checkup
  }

  /// - Parameter backlog: Checks for expired rows that have not been removed.
  private mutating func checkContent(
    of store: any Store, _ masterKey: MasterKey, _ settings: ServerSettings,
    backlog: () async throws(StoreError) -> [Finding]
  ) async throws {
    let keys = try await KeyManagement(store: store, masterKey: masterKey, lifetimes: settings.server.lifetimes).list()
    self.signingKeys = keys.map(\.id)
    self.upstreams = try await Upstreams(store: store).list()
    self.findings += KeysCheckup(keys: keys, masterKey: masterKey).findings()
    self.findings += try await Self.contentFindings(of: store, settings, backlog: backlog)
  }

  static func findings(_ condition: DatabaseCondition) -> [Finding] {
    var found: [Finding] = condition.damage.map { .problem("database", "the database is damaged: \($0); restore a backup") }
    switch condition.version {
    case .current: break
    case .older:
      found.append(.warning("database", "the database has an earlier schema version; the next start of the server upgrades it"))
    case .newer: found.append(.problem("database", "the database was written by a newer version of Sallyport; use that version"))
    case .foreign: found.append(.problem("database", "\(DataFiles.database) is not a Sallyport database"))
    }
    return Finding.list("database", found, otherwise: "intact, with the current schema version")
  }

  private static func contentFindings(
    of store: any Store, _ settings: ServerSettings, backlog: () async throws(StoreError) -> [Finding]
  ) async throws(StoreError) -> [Finding] {
    let (clients, accounts, deliveries) = try await store.read { (tx) throws(StoreError) in
      (try tx.clients(), try tx.accounts(), try tx.logoutDeliveries())
    }
    let now = Timestamp.now()
    var found: [Finding] = []
    let latest = (clients.map(\.createdAt) + accounts.map(\.createdAt)).max() ?? now
    if latest > now + .seconds(60) {
      found.append(
        .problem(
          "clock",
          "the database contains rows from \(latest.date.formatted(.iso8601)), which is in the future; check the clock, which may have been set back"
        ))
    }
    // One or two failed attempts can be a short interruption.
    let failing = deliveries.filter { $0.attempts >= 3 }
    for client in Set(failing.map(\.client.rawValue)).sorted() {
      found.append(
        .warning(
          "clients", "\(client) does not accept notifications at its back-channel logout URI, so it does not learn of sign-outs"))
    }
    found += try await backlog()
    return found + ClientsCheckup(clients: clients, configuration: settings.server).findings()
  }

  private static func backlogFindings(of store: SQLiteStore, limit: Int) async throws(StoreError) -> [Finding] {
    // Rows that expired within the last ten minutes are not counted, because the server removes rows in small steps.
    let backlog = try await store.countExpired(before: .now() - .seconds(600))
    guard backlog > limit else { return [] }
    return [
      .warning(
        "database",
        "\(backlog) expired rows have not been removed; the running server removes them, so check that it runs and is not overloaded"
      )
    ]
  }
}
