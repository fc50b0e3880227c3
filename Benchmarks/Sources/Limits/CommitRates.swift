import GRDB
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// How many transactions SQLite commits per second, in WAL mode with `synchronous=FULL`. Each transaction inserts one
/// row.
struct CommitRates: Encodable {
  /// The rate of one thread that uses SQLite directly.
  let alone: Double
  /// The rates through the server's store, which commits the writes of all waiting callers together. The key is the
  /// number of concurrent callers.
  let grouped: [Int: Double]

  static func measure(in directory: String) async throws -> CommitRates {
    let store = try SQLiteStore(path: directory + "/grouped.db")
    var grouped: [Int: Double] = [:]
    for callers in [1, 8, 32] {
      grouped[callers] = try await rate(tasks: callers) { try await store.write(rows: 1) }
    }
    return CommitRates(alone: try Self.alone(path: directory + "/alone.db"), grouped: grouped)
  }

  private static func alone(path: String) throws -> Double {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    return try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = FULL; CREATE TABLE row (id TEXT PRIMARY KEY, at INTEGER) STRICT, WITHOUT ROWID")
      let insert = try db.makeStatement(sql: "INSERT INTO row (id, at) VALUES (?, ?)")
      let (clock, start) = (ContinuousClock(), ContinuousClock.now)
      var count = 0
      while start.duration(to: clock.now) < .seconds(2) {
        try insert.execute(arguments: [RandomText.base64URL(bits: 128), count])
        count += 1
      }
      return Double(count) / (start.duration(to: clock.now) / .seconds(1))
    }
  }
}

extension Store {
  /// Inserts this number of rows in one transaction. The rows are identifiers of consumed interactions, because their
  /// table has only two columns.
  func write(rows: Int) async throws {
    let ids = (0..<rows).map { _ in RandomText.base64URL(bits: 128) }
    let expires = Timestamp.now() + .seconds(600)
    try await self.write { (tx) throws(StoreError) in
      for id in ids { _ = try tx.consumeInteraction(id, expires: expires) }
    }
  }
}
