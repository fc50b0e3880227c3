import GRDB
import SallyportProtocol
import SallyportServer
import SallyportStoreTesting
import Synchronization
import Testing

@testable import SallyportSQLite

/// What the store asks SQLite, all of it: the suite that every store must pass calls each of its functions.
@Suite("What a statement costs does not grow with the table", .timeLimit(.minutes(3)))
struct StatementTests {
  /// The texts that connections have run.
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

  /// Statements that read a whole table, and may: it is short, or the whole is what is asked for.
  private static let mayScan: [(text: String, why: String)] = [
    ("FROM signing_key", "a few rows"), ("SELECT version FROM configuration", "one row"),
    ("FROM client ORDER BY created_at", "a list of all"), ("FROM account ORDER BY username", "a list of all"),
    ("FROM initial_access_token ORDER BY created_at", "a list of all"),
    ("FROM logout_delivery ORDER BY due_at, id", "a list of all"),
    ("UPDATE browser_session SET ended_at = ?1 WHERE ended_at IS NULL", "a restored database, once"),
    ("UPDATE refresh_token SET sealed_successor = NULL WHERE sealed_successor IS NOT NULL", "a restored database, once"),
    ("DELETE FROM device_authorization WHERE consumed_at IS NULL", "a restored database, once"),
    ("DELETE FROM pushed_request", "a restored database, once"),
    ("FROM audit ORDER BY id", "in the order of the key, up to a limit"),
    ("FROM audit WHERE +event IN", "backwards, for events of which there are many, up to a limit"),
    ("FROM audit WHERE request_id = ?", "an operator's question, best asked with a time"),
    ("FROM audit WHERE address = ?", "an operator's question, best asked with a time"),
  ]

  private func texts(_ directory: TemporaryDirectory) async throws -> Set<String> {
    let texts = Texts()
    for rule in StoreConformance.cases {
      try await rule.run { name in
        let store = try SQLiteStore(path: "\(directory.path)/\(name).sqlite")
        try await store.pool.writeWithoutTransaction { texts.listen(to: $0) }
        try store.readers.read { (db) throws(StoreError) in texts.listen(to: db) }
        return store
      }
    }
    let store = try SQLiteStore(path: "\(directory.path)/more.sqlite")
    try await store.pool.writeWithoutTransaction { texts.listen(to: $0) }
    try store.readers.read { (db) throws(StoreError) in texts.listen(to: db) }
    _ = try await store.countExpired(before: .now())
    _ = try await store.settleRestored(AuditRecord(.databaseRestored, from: .command, at: .now()), endingGrants: true)
    return texts.all.filter { text in
      ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { text.hasPrefix($0) }
    }
  }

  private static func plan(_ text: String, _ db: Database) throws -> [String] {
    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(text)")
    statement.setUncheckedArguments([])
    return try Row.fetchAll(statement).map { $0["detail"] }
  }

  @Test("no statement of the store scans a table, or sorts what it then takes the first of")
  func plans() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let texts = try await self.texts(directory)
    #expect(texts.count > 100)
    let store = try SQLiteStore(path: "\(directory.path)/plans.sqlite")
    try await store.pool.read { db in
      for text in texts {
        let plan = try Self.plan(text, db)
        // What a statement has found for itself is as short as its own limit.
        let scans = plan.filter {
          $0.hasPrefix("SCAN") && $0 != "SCAN ended" && !$0.hasPrefix("SCAN (") && $0 != "SCAN CONSTANT ROW"
        }
        let sorts = text.contains("LIMIT") ? plan.filter { $0.contains("TEMP B-TREE FOR ORDER BY") } : []
        guard !Self.mayScan.contains(where: { text.contains($0.text) }) else { continue }
        #expect(scans.isEmpty && sorts.isEmpty, "\(text): \(plan)")
      }
      // Only the rows of clients that are left out are passed over, in the index.
      let claim = try #require(texts.first { $0.hasPrefix("UPDATE logout_delivery SET attempts") })
      let plan = try Self.plan(claim, db)
      #expect(
        plan.contains("SEARCH logout_delivery USING COVERING INDEX logout_delivery_claim (is_strangers=? AND due_at<?)"),
        "\(plan)")
    }
    for one in Self.mayScan { #expect(texts.contains { $0.contains(one.text) }, "nothing asks this any more: \(one.text)") }
  }

  @Test(
    "what is asked of the audit trail by account, client or event is found by an index, also within a time",
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
    var within = query
    (within.since, within.until) = (Timestamp(seconds: 1), Timestamp(seconds: 2))
    for asked in [query, within] {
      let texts = Texts()
      try store.readers.read { (db) throws(StoreError) in
        texts.listen(to: db)
        _ = try SQLiteSnapshot(db: db).auditRecords(asked)
      }
      let selects = texts.all.filter { $0.hasPrefix("SELECT") }
      #expect(!selects.isEmpty)
      for text in selects {
        let plan = try await store.pool.read { try Self.plan(text, $0) }
        #expect(plan.count == 1 && plan[0].contains("USING INDEX \(index) "), "\(text): \(plan)")
      }
    }
  }

  @Test("whoever removes a row finds what refers to it by an index")
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
  fileprivate init(limit: Int, account: String? = nil, client: String? = nil, events: Set<AuditEvent> = []) {
    self.init(limit: limit)
    (self.account, self.client) = (account.map(AccountID.init), client.map(ClientID.init))
    self.events = events
  }
}
