import GRDB
import SallyportProtocol
import SallyportServer
import SallyportStoreTesting
import Synchronization
import Testing

@testable import SallyportSQLite

/// Checks the query plans of the store's statements. ``texts(_:)`` collects the statements: it runs the conformance
/// suite for stores, and then two methods that are not part of the `Store` protocol.
@Suite("Query plans", .timeLimit(.minutes(3)))
struct StatementTests {
  /// Collects the statements that connections run.
  final class Texts: Sendable {
    private let texts = Mutex(Set<String>())

    var all: Set<String> { self.texts.withLock { $0 } }

    func listen(to db: Database) {
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        let text = statement.sql
        self.texts.withLock { _ = $0.insert(text) }
      }
    }
  }

  /// Parts of the statements that may scan a table, or sort all rows before they apply a `LIMIT`, each with the reason
  /// why this is acceptable.
  private static let mayScan: [(text: String, reason: String)] = [
    ("FROM signing_key", "a few rows"), ("SELECT version FROM configuration", "one row"),
    ("FROM client ORDER BY created_at", "a list of all rows"),
    ("FROM initial_access_token ORDER BY created_at", "a list of all rows"),
    ("FROM logout_delivery ORDER BY due_at, id", "a list of all rows"),
    ("FROM mail ORDER BY due_at, id", "a list of all rows"), ("FROM upstream ORDER BY created_at, id", "a list of all rows"),
    ("UPDATE browser_session SET ended_at = ?1 WHERE ended_at IS NULL", "once, for a restored database"),
    ("UPDATE refresh_token SET sealed_successor = NULL WHERE sealed_successor IS NOT NULL", "once, for a restored database"),
    ("DELETE FROM device_authorization WHERE consumed_at IS NULL", "once, for a restored database"),
    ("DELETE FROM pushed_request", "once, for a restored database"),
    ("DELETE FROM account_link", "once, for a restored database"),
    ("DELETE FROM sign_up", "once, for a restored database"), ("DELETE FROM mail", "once, for a restored database"),
    ("FROM browser_session WHERE sid = ?", "a command of an operator"),
    ("FROM audit WHERE +event IN", "in key order, up to a limit"),
    ("FROM audit WHERE request_id = ?", "a query of an operator, usually with a period of time"),
    ("FROM audit WHERE address = ?", "a query of an operator, usually with a period of time"),
  ]

  private func texts(_ directory: TemporaryDirectory) async throws -> Set<String> {
    let texts = Texts()
    for rule in StoreConformance.cases {
      try await rule.run { name in
        let store = try SQLiteStore(path: "\(directory.path)/\(name).sqlite")
        try await store.pool.writeWithoutTransaction { texts.listen(to: $0) }
        try store.readers.readBlocking { (db) throws(StoreError) in texts.listen(to: db) }
        return store
      }
    }
    let store = try SQLiteStore(path: "\(directory.path)/more.sqlite")
    try await store.pool.writeWithoutTransaction { texts.listen(to: $0) }
    try store.readers.readBlocking { (db) throws(StoreError) in texts.listen(to: db) }
    _ = try await store.countExpired(before: .now())
    _ = try await store.prepareRestored(AuditRecord(.databaseRestored, from: .command, at: .now()), revokingGrants: true)
    return texts.all.filter { text in
      ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { text.hasPrefix($0) }
    }
  }

  private static func plan(_ text: String, _ db: Database) throws -> [String] {
    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(text)")
    statement.setUncheckedArguments([])
    return try Row.fetchAll(statement).map { $0["detail"] }
  }

  @Test("no statement scans a table, or sorts all rows before it applies a LIMIT, except the statements in the list")
  func plans() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let texts = try await self.texts(directory)
    #expect(texts.count > 100)
    let store = try SQLiteStore(path: "\(directory.path)/plans.sqlite")
    try await store.pool.read { db in
      for text in texts {
        let plan = try Self.plan(text, db)
        // Scans of a statement's own temporary results are allowed, because the statement limits their number of rows.
        let scans = plan.filter {
          $0.hasPrefix("SCAN") && $0 != "SCAN ended" && !$0.hasPrefix("SCAN (") && $0 != "SCAN CONSTANT ROW"
        }
        let sorts = text.contains("LIMIT") ? plan.filter { $0.contains("TEMP B-TREE FOR ORDER BY") } : []
        guard !Self.mayScan.contains(where: { text.contains($0.text) }) else { continue }
        #expect(scans.isEmpty && sorts.isEmpty, "\(text): \(plan)")
      }
      // The statement that claims a logout delivery finds the most overdue rows in an index.
      let claim = try #require(texts.first { $0.hasPrefix("UPDATE logout_delivery SET attempts") })
      let plan = try Self.plan(claim, db)
      #expect(
        plan.contains("SEARCH logout_delivery USING COVERING INDEX logout_delivery_claim (is_strangers=? AND due_at<?)"),
        "\(plan)")
    }
    for allowed in Self.mayScan {
      #expect(texts.contains { $0.contains(allowed.text) }, "no statement contains this: \(allowed.text)")
    }
  }

  @Test(
    "audit queries by account, client, or event use an index, with and without a period of time",
    arguments: [
      ("audit_account", AuditQuery(limit: 9, account: "a")), ("audit_account", AuditQuery(limit: 9, account: "a", client: "c")),
      ("audit_account", AuditQuery(limit: 9, account: "a", events: [.signedIn, .tokenRevoked])),
      ("audit_client", AuditQuery(limit: 9, client: "c")),
      ("audit_client", AuditQuery(limit: 9, client: "c", events: [.clientAdded])),
      ("audit_event", AuditQuery(limit: 9, events: [.codeReplayed])),
      ("audit_event", AuditQuery(limit: 9, events: [.codeReplayed, .refreshTokenReused])),
    ])
  func audit(index: String, query: AuditQuery) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    var withPeriod = query
    (withPeriod.since, withPeriod.until) = (Timestamp(seconds: 1), Timestamp(seconds: 2))
    for query in [query, withPeriod] {
      let texts = Texts()
      try store.readers.readBlocking { (db) throws(StoreError) in
        texts.listen(to: db)
        _ = try SQLiteSnapshot(db: db).auditRecords(query)
      }
      let selects = texts.all.filter { $0.hasPrefix("SELECT") }
      #expect(!selects.isEmpty)
      for text in selects {
        let plan = try await store.pool.read { try Self.plan(text, $0) }
        #expect(plan.count == 1 && plan[0].contains("USING INDEX \(index) "), "\(text): \(plan)")
      }
    }
  }

  @Test("every foreign key has an index")
  func foreignKeys() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try await store.pool.read { db in
      let keys = try Row.fetchAll(
        db, sql: "SELECT t.name, k.\"from\" FROM pragma_table_list t, pragma_foreign_key_list(t.name) k WHERE t.schema = 'main'")
      #expect(keys.count > 10)
      for key in keys {
        let (table, column): (String, String) = (key[0], key[1])
        let plan = try Self.plan("SELECT 1 FROM \(table) WHERE \(column) = ?", db)
        #expect(plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(table).\(column): \(plan)")
      }
    }
  }
}

extension AuditQuery {
  fileprivate init(
    limit: Int, account: String? = nil, client: String? = nil, events: Set<AuditEvent> = Set(AuditEvent.allCases)
  ) {
    self.init(limit: limit)
    (self.account, self.client) = (account.map(AccountID.init), client.map(ClientID.init))
    self.events = events
  }
}
