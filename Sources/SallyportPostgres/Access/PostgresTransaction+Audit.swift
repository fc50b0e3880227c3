import SallyportProtocol
import SallyportServer

private let columns =
  "id, at, event, reason, source, address, request_id, account_id, client_id, grant_id, session_id, subject, more"
private let insertion = """
  INSERT INTO audit (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (id) DO NOTHING
  """

extension PostgresAccess {
  func auditRecords(_ query: AuditQuery) throws(StoreError) -> [AuditRecord] {
    guard !query.events.isEmpty else { return [] }
    var conditions: [String] = []
    var arguments: [(any StatementArgument)?] = []
    func add(_ condition: String, _ value: (any StatementArgument)?) {
      guard let value else { return }
      arguments.append(value)
      conditions.append("\(condition) $\(arguments.count)")
    }
    // Identifiers begin with the time of the record, so a range of identifiers is a period.
    add("id >=", query.since.map(AuditRecord.lowerBound))
    add("id <", query.until.map(AuditRecord.lowerBound))
    add("id >", query.after)
    add("account_id =", query.account?.rawValue)
    add("client_id =", query.client?.rawValue)
    add("request_id =", query.requestID)
    add("address =", query.address)
    let events = query.events.map(\.rawValue).sorted()
    let numbers = events.indices.map { "$\(arguments.count + $0 + 1)" }
    conditions.append("event IN (\(numbers.joined(separator: ", ")))")
    arguments += events.map { $0 as (any StatementArgument)? }
    arguments.append(query.limit)
    let order = query.order == .newestFirst ? "DESC" : "ASC"
    return try self.rows(
      "SELECT \(columns) FROM audit WHERE \(conditions.joined(separator: " AND ")) ORDER BY id \(order) LIMIT $\(arguments.count)",
      arguments, Self.auditRecord)
  }

  private static func auditRecord(_ row: ResultRow) throws(StoreError) -> AuditRecord {
    // During an upgrade, a newer version can store a reason that this version does not know and reads as nil.
    let reason = try (row[3] as String?).flatMap(AuditReason.init)
    let source = try unwrapStored(AuditOrigin.Source(rawValue: row[4]), "source")
    return try AuditRecord(
      unwrapStored(AuditEvent(rawValue: row[2]), "audit event"), reason, account: (row[7] as String?).map(AccountID.init),
      client: (row[8] as String?).map(ClientID.init), grant: (row[9] as String?).map(GrantID.init), session: row[10],
      subject: row[11], more: row[12], from: AuditOrigin(source: source, address: row[5], requestID: row[6]), at: row.time(1),
      id: row[0])
  }
}

extension PostgresTransaction {
  mutating func append(_ record: AuditRecord) throws(StoreError) {
    try self.queue(
      insertion,
      [
        record.id, record.at, record.event.rawValue, record.reason?.rawValue, record.origin.source.rawValue,
        record.origin.address, record.origin.requestID, record.account?.rawValue, record.client?.rawValue,
        record.grant?.rawValue, record.session, record.subject, record.more,
      ])
  }

  mutating func removeAuditRecords(before time: Timestamp, limit: Int) throws(StoreError) -> Int {
    try self.change(
      "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < $1 ORDER BY id LIMIT $2)",
      [AuditRecord.lowerBound(time), limit])
  }
}
