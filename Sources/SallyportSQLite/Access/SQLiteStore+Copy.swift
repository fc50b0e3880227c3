import SallyportProtocol
package import SallyportServer

/// Reads and writes whole tables, to copy a database from SQLite to PostgreSQL or back.
extension SQLiteStore: CopyableStore {
  package func storedRows(
    of table: StoredTable, after key: [StoredValue]?, limit: Int
  ) async throws(StoreError) -> [[StoredValue]] {
    let (keyNames, placeholders) = (table.sqliteKey, table.key.map { _ in "?" }.joined(separator: ", "))
    let condition = key == nil ? "" : "WHERE (\(keyNames)) > (\(placeholders))"
    let sql = "SELECT \(table.sqliteColumns) FROM \(table.sqliteName) \(condition) ORDER BY \(keyNames) LIMIT ?"
    return try await self.readers.read { (db) throws(StoreError) in
      try SQLiteSnapshot(db: db).rows(sql, (key ?? []).map(\.argument) + [limit]) { (row) throws(StoreError) in
        try row.values(of: table.columns)
      }
    }
  }

  package func lastStoredKey(of table: StoredTable) async throws(StoreError) -> [StoredValue]? {
    let order = table.key.map { "\($0.sqliteName) DESC" }.joined(separator: ", ")
    let sql = "SELECT \(table.sqliteKey) FROM \(table.sqliteName) ORDER BY \(order) LIMIT 1"
    return try await self.readers.read { (db) throws(StoreError) in
      try SQLiteSnapshot(db: db).row(sql) { (row) throws(StoreError) in try row.values(of: Array(table.key)) }
    }
  }

  package func insertStoredRows(_ rows: [[StoredValue]], into table: StoredTable) async throws(StoreError) {
    let placeholders = table.columns.map { _ in "?" }.joined(separator: ", ")
    let sql = "INSERT INTO \(table.sqliteName) (\(table.sqliteColumns)) VALUES (\(placeholders))"
    try await self.commits.run { (tx) throws(StoreError) in
      // The insert triggers reject rows that the copied database can contain, such as a refresh token of a revoked
      // grant. This transaction drops the triggers, and creates them again after it has inserted the rows.
      let triggers = table.hasInsertTriggers ? try tx.insertTriggers(on: table.sqliteName) : []
      for trigger in triggers { try tx.change("DROP TRIGGER \(trigger.name)") }
      for row in rows { try tx.change(sql, row.map(\.argument)) }
      for trigger in triggers { try tx.change(trigger.sql) }
    }
  }

  package func raiseConfigurationVersion() async throws(StoreError) {
    let now = Timestamp.now()
    try await self.commits.run { (tx) throws(StoreError) in
      // The time in milliseconds is larger than any version that a running server has seen, so servers read the
      // configuration again.
      _ = try tx.change("UPDATE configuration SET version = max(version + 1, ?) WHERE id = 1", [now])
    }
  }
}

extension SQLiteTransaction {
  fileprivate func insertTriggers(on table: String) throws(StoreError) -> [(name: String, sql: String)] {
    try self.rows(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE '%BEFORE INSERT%'", [table]
    ) { (row) throws(StoreError) in (try row[0], try row[1]) }
  }
}

extension ResultRow {
  fileprivate func values(of columns: [StoredTable.Column]) throws(StoreError) -> [StoredValue] {
    var values: [StoredValue] = []
    for (index, column) in columns.enumerated() {
      let value: StoredValue? =
        switch column.kind {
        case .text: (try self[index] as String?).map { .text($0) }
        case .integer: (try self[index] as Int64?).map { .integer($0) }
        case .bytes: try self.optionalBytes(index).map { .bytes($0) }
        case .boolean: (try self[index] as Int64?).map { .boolean($0 != 0) }
        }
      values.append(value ?? .null)
    }
    return values
  }
}

extension StoredValue {
  fileprivate var argument: (any StatementArgument)? {
    switch self {
    case .null: nil
    case .text(let text): text
    case .integer(let number): number
    case .bytes(let bytes): bytes
    case .boolean(let value): value
    }
  }
}

// One table and one column have different names than in PostgreSQL, because released migrations never change.
extension StoredTable {
  fileprivate var sqliteName: String { self.name == "consumed_interaction" ? "burned_interaction" : self.name }
  fileprivate var sqliteColumns: String { self.columns.map(\.sqliteName).joined(separator: ", ") }
  fileprivate var sqliteKey: String { self.key.map(\.sqliteName).joined(separator: ", ") }
}

extension StoredTable.Column {
  fileprivate var sqliteName: String { self.name == "is_dynamic" ? "is_strangers" : self.name }
}
