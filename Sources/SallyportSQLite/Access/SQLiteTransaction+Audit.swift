import GRDB
public import SallyportProtocol
public import SallyportServer

private let columns =
  "id, at, event, reason, source, address, request_id, account_id, client_id, grant_id, session_id, subject, more"
private let insertion =
  "INSERT INTO audit (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"

extension SQLiteAccess {
  /// If the query names several events and can use the index of events, runs one statement for each event. SQLite then
  /// reads the rows of each statement in order, and need not sort them.
  public func auditRecords(_ query: AuditQuery) throws(StoreError) -> [AuditRecord] {
    guard !query.events.isEmpty else { return [] }
    guard query.events.count > 1, Self.usesEventIndex(query) else { return try self.auditRecordsInOrder(query) }
    var found: [AuditRecord] = []
    for event in query.events {
      var single = query
      single.events = [event]
      found += try self.auditRecordsInOrder(single)
    }
    found.sort { query.order == .newestFirst ? $0.id > $1.id : $0.id < $1.id }
    return Array(found.prefix(query.limit))
  }

  /// Builds a statement that has only the conditions of the query, so that one index provides both the rows and their
  /// order. A `+` before a column keeps SQLite from using the index of that column. With the index of events, SQLite
  /// would have to sort the rows of several events. If the query names both an account and a client, SQLite uses the
  /// index by account, which usually finds fewer rows.
  private func auditRecordsInOrder(_ query: AuditQuery) throws(StoreError) -> [AuditRecord] {
    var conditions: [String] = []
    var arguments: [(any StatementArgument)?] = []
    func add(_ condition: String, _ value: (any StatementArgument)?) {
      guard let value else { return }
      conditions.append(condition)
      arguments.append(value)
    }
    add("id >= ?", query.since.map(AuditRecord.lowerBound))
    add("id < ?", query.until.map(AuditRecord.lowerBound))
    add("id > ?", query.after)
    add("account_id = ?", query.account?.rawValue)
    add(query.account == nil ? "client_id = ?" : "+client_id = ?", query.client?.rawValue)
    add("request_id = ?", query.requestID)
    add("address = ?", query.address)
    if query.events.count == 1, Self.usesEventIndex(query) {
      // The condition must match the condition of the partial index, or SQLite does not use the index.
      conditions.append("event <> 'signed-in' AND event <> 'grant-issued'")
      add("event = ?", query.events.first?.rawValue)
    } else {
      conditions.append("+event IN (\(databaseQuestionMarks(count: query.events.count)))")
      for event in query.events { arguments.append(event.rawValue) }
    }
    arguments.append(query.limit)
    let order = query.order == .newestFirst ? "DESC" : "ASC"
    return try self.rows(
      "SELECT \(columns) FROM audit WHERE \(conditions.joined(separator: " AND ")) ORDER BY id \(order) LIMIT ?", arguments,
      Self.auditRecord)
  }

  /// Whether a query can use the index of events, which contains all events except the two most frequent ones.
  private static func usesEventIndex(_ query: AuditQuery) -> Bool {
    query.account == nil && query.client == nil && query.events.isDisjoint(with: [.signedIn, .grantIssued])
  }

  private static func auditRecord(_ row: ResultRow) throws(StoreError) -> AuditRecord {
    // During an upgrade, a newer version can store a reason that this version does not know. It is read as nil.
    let reason = try (row[3] as String?).flatMap(AuditReason.init)
    let source = try unwrapStored(AuditOrigin.Source(rawValue: row[4]), "source")
    return try AuditRecord(
      unwrapStored(AuditEvent(rawValue: row[2]), "audit event"), reason, account: (row[7] as String?).map(AccountID.init),
      client: (row[8] as String?).map(ClientID.init), grant: (row[9] as String?).map(GrantID.init), session: row[10],
      subject: row[11], more: row[12], from: AuditOrigin(source: source, address: row[5], requestID: row[6]), at: row.time(1),
      id: row[0])
  }
}

extension SQLiteTransaction {
  public mutating func append(_ record: AuditRecord) throws(StoreError) {
    try self.change(
      insertion,
      [
        record.id, record.at, record.event.rawValue, record.reason?.rawValue, record.origin.source.rawValue,
        record.origin.address, record.origin.requestID, record.account?.rawValue, record.client?.rawValue,
        record.grant?.rawValue, record.session, record.subject, record.more,
      ])
  }

  public mutating func removeAuditRecords(before time: Timestamp, limit: Int) throws(StoreError) -> Int {
    try self.change(Self.auditRemoval, [AuditRecord.lowerBound(time), limit])
  }

  static var auditRemoval: String {
    "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < ?1 ORDER BY id LIMIT ?2)"
  }
}
