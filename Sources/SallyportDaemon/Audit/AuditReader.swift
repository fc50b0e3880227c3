import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// Reads the audit trail of a store, in parts, with the names of the accounts.
struct AuditReader: Sendable {
  let store: SQLiteStore

  /// Records of one reading.
  private static var part: Int { 1_000 }
  /// A record is made before its transaction, which may wait so long for its turn: for so long, an older one may still appear.
  private static var lateness: Duration { .seconds(30) }

  /// The newest records that are asked for, in the order in which they came.
  func newest(_ query: AuditQuery) async throws(StoreError) -> [AuditLine] {
    try await self.read(query).reversed().map(\.line)
  }

  /// All records that are asked for, oldest first.
  func all(_ query: AuditQuery, _ print: (AuditLine) throws -> Void) async throws {
    try await self.each(query) { _, line in try print(line) }
  }

  /// The newest records, and then others as they come, each once, until the task is cancelled.
  /// - Parameter pause: between two looks.
  func follow(
    _ query: AuditQuery, every pause: Duration = .seconds(1), now: TimeSource = Timestamp.now, _ print: (AuditLine) throws -> Void
  ) async throws {
    // What is there already and is not among the newest that are asked for is not printed later.
    var seen: Set<String> = []
    try await self.recent(query, at: now()) { record, _ in seen.insert(record.id) }
    for (record, line) in try await self.read(query).reversed() {
      seen.insert(record.id)
      try print(line)
    }
    while !Task.isCancelled {
      let moment = now()
      seen = seen.filter { $0 >= AuditRecord.bound(moment - Self.lateness) }
      try await self.recent(query, at: moment) { record, line in
        if seen.insert(record.id).inserted { try print(line) }
      }
      try? await Task.sleep(for: pause)
    }
  }

  /// Whatever is so young that others may still appear beside it.
  private func recent(
    _ query: AuditQuery, at now: Timestamp, _ body: (AuditRecord, AuditLine) throws -> Void
  ) async throws {
    var query = query
    query.since = max(query.since ?? now - Self.lateness, now - Self.lateness)
    try await self.each(query, body)
  }

  private func each(_ query: AuditQuery, _ body: (AuditRecord, AuditLine) throws -> Void) async throws {
    var query = query
    query.order = .oldestFirst
    query.limit = Self.part
    while true {
      let found = try await self.read(query)
      for (record, line) in found { try body(record, line) }
      guard found.count == query.limit, let last = found.last else { return }
      query.after = last.record.id
    }
  }

  private func read(_ query: AuditQuery) async throws(StoreError) -> [(record: AuditRecord, line: AuditLine)] {
    try await self.store.read { (snapshot) throws(StoreError) in
      var names: [AccountID: String] = [:]
      var found: [(record: AuditRecord, line: AuditLine)] = []
      for record in try snapshot.auditRecords(query) {
        if let id = record.account, names[id] == nil { names[id] = try snapshot.account(id)?.username.value }
        found.append((record, AuditLine(record, username: record.account.flatMap { names[$0] })))
      }
      return found
    }
  }
}
