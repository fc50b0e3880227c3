import SallyportProtocol
package import SallyportServer

extension PostgresStore: CopyableStore {
  package func storedRows(
    of table: StoredTable, after key: [StoredValue]?, limit: Int
  ) async throws(StoreError) -> [[StoredValue]] {
    let condition = key.map { "WHERE (\(table.keyNames)) > (\(Self.placeholders($0.count)))" } ?? ""
    let sql = """
      SELECT \(table.columnNames) FROM \(table.name) \(condition) ORDER BY \(table.keyNames) LIMIT $\((key?.count ?? 0) + 1)
      """
    return try await self.maintain { (runner) throws(StoreError) in
      try runner.read { (snapshot) throws(StoreError) in
        try snapshot.rows(sql, (key ?? []).map(\.argument) + [limit]) { (row) throws(StoreError) in
          try row.values(of: table.columns)
        }
      }
    }
  }

  package func lastStoredKey(of table: StoredTable) async throws(StoreError) -> [StoredValue]? {
    let order = table.key.map { "\($0.name) DESC" }.joined(separator: ", ")
    return try await self.maintain { (runner) throws(StoreError) in
      try runner.read { (snapshot) throws(StoreError) in
        try snapshot.row("SELECT \(table.keyNames) FROM \(table.name) ORDER BY \(order) LIMIT 1") { (row) throws(StoreError) in
          try row.values(of: Array(table.key))
        }
      }
    }
  }

  package func insertStoredRows(_ rows: [[StoredValue]], into table: StoredTable) async throws(StoreError) {
    let sql = "INSERT INTO \(table.name) (\(table.columnNames)) VALUES (\(Self.placeholders(table.columns.count)))"
    try await self.maintain { (runner) throws(StoreError) in
      try runner.write(.readCommitted) { (tx) throws(StoreError) in
        // The triggers would reject some rows that the copy must contain, such as a token of a revoked grant. Only the
        // owner of the table may disable triggers. Until the commit, no other transaction can write to the table.
        if table.hasInsertTriggers { try tx.queue("ALTER TABLE \(table.name) DISABLE TRIGGER USER") }
        for row in rows { try tx.queue(sql, row.map(\.argument)) }
        if table.hasInsertTriggers { try tx.queue("ALTER TABLE \(table.name) ENABLE TRIGGER USER") }
      }
    }
  }

  package func raiseConfigurationVersion() async throws(StoreError) {
    let now = Timestamp.now()
    try await self.maintain { (runner) throws(StoreError) in
      try runner.write { (tx) throws(StoreError) in
        // The time in milliseconds is larger than any version that a running server has seen, so servers read the
        // configuration again. The search for unused codes (`codes_examined_until`) starts over, because the copied
        // codes can have expired before the time that the search has reached.
        try tx.queue("UPDATE configuration SET version = greatest(version + 1, $1), codes_examined_until = 0", [now])
        try tx.queue("NOTIFY \(Schema.channel)")
      }
    }
  }

  private static func placeholders(_ count: Int) -> String {
    (1...count).map { "$\($0)" }.joined(separator: ", ")
  }
}

extension StoredTable {
  fileprivate var columnNames: String { self.columns.map(\.name).joined(separator: ", ") }
  fileprivate var keyNames: String { self.key.map(\.name).joined(separator: ", ") }
}

extension ResultRow {
  func values(of columns: [StoredTable.Column]) throws(StoreError) -> [StoredValue] {
    var values: [StoredValue] = []
    for (index, column) in columns.enumerated() {
      guard !self.isNull(index) else {
        values.append(.null)
        continue
      }
      switch column.kind {
      case .text: values.append(.text(try self[index]))
      case .integer: values.append(.integer(try self[index]))
      case .bytes: values.append(.bytes(try self.bytes(index)))
      case .boolean: values.append(.boolean(try self[index]))
      }
    }
    return values
  }
}

extension StoredValue {
  var argument: (any StatementArgument)? {
    switch self {
    case .null: nil
    case .text(let text): text
    case .integer(let number): number
    case .bytes(let bytes): bytes
    case .boolean(let value): value
    }
  }
}
