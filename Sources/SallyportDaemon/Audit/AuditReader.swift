import SallyportProtocol
import SallyportServer

/// Reads the audit trail, with the usernames of the accounts.
struct AuditReader: Sendable {
  let store: any Store

  /// The number of records that one transaction of ``forEachRecord(_:_:)`` reads.
  private static var batchSize: Int { 1_000 }
  /// The expected maximum time between a record's own time and its appearance in the database. A record gets its time
  /// before its transaction begins, and the transaction may have to wait for other transactions.
  private static var lateness: Duration { .seconds(30) }

  /// The newest matching records, at most `query.limit`, oldest first.
  func newestLines(_ query: AuditQuery) async throws(StoreError) -> [AuditLine] {
    try await self.read(query).reversed().map(\.line)
  }

  /// All matching records, oldest first.
  func all(_ query: AuditQuery, _ print: (AuditLine) throws -> Void) async throws {
    try await self.forEachRecord(query) { _, line in try print(line) }
  }

  /// Passes the newest records to `print`, and then each new record once, until the task is canceled.
  /// - Parameter pause: The time between two reads.
  func follow(
    _ query: AuditQuery, every pause: Duration = .seconds(1), now: TimeSource = Timestamp.now, _ print: (AuditLine) throws -> Void
  ) async throws {
    // Marks all recent records as seen. If `query.limit` leaves some of them out now, they are not printed later as new
    // records.
    var seenIDs: Set<String> = []
    try await self.forEachRecentRecord(query, at: now()) { record, _ in seenIDs.insert(record.id) }
    for (record, line) in try await self.read(query).reversed() {
      seenIDs.insert(record.id)
      try print(line)
    }
    while !Task.isCancelled {
      let moment = now()
      // Forgets the IDs of records that are too old to be read again. An ID begins with the record's time.
      seenIDs = seenIDs.filter { $0 >= AuditRecord.lowerBound(moment - Self.lateness) }
      try await self.forEachRecentRecord(query, at: moment) { record, line in
        if seenIDs.insert(record.id).inserted { try print(line) }
      }
      try? await Task.sleep(for: pause)
    }
  }

  /// Reads the records of the last 30 seconds, because new records can still appear among them (see ``lateness``).
  private func forEachRecentRecord(
    _ query: AuditQuery, at now: Timestamp, _ body: (AuditRecord, AuditLine) throws -> Void
  ) async throws {
    var query = query
    query.since = max(query.since ?? now - Self.lateness, now - Self.lateness)
    try await self.forEachRecord(query, body)
  }

  private func forEachRecord(_ query: AuditQuery, _ body: (AuditRecord, AuditLine) throws -> Void) async throws {
    var query = query
    query.order = .oldestFirst
    query.limit = Self.batchSize
    while true {
      let batch = try await self.read(query)
      for (record, line) in batch { try body(record, line) }
      guard batch.count == query.limit, let last = batch.last else { return }
      query.after = last.record.id
    }
  }

  private func read(_ query: AuditQuery) async throws(StoreError) -> [(record: AuditRecord, line: AuditLine)] {
    try await self.store.read { (snapshot) throws(StoreError) in
      var names: [AccountID: String] = [:]
      var lines: [(record: AuditRecord, line: AuditLine)] = []
      for record in try snapshot.auditRecords(query) {
        if let id = record.account, names[id] == nil { names[id] = try snapshot.account(id)?.username.value }
        lines.append((record, AuditLine(record, username: record.account.flatMap { names[$0] })))
      }
      return lines
    }
  }
}
