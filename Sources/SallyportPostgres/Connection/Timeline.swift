import SallyportServer

/// The history to which a PostgreSQL server writes. Each promotion of a standby begins a new timeline with a greater
/// number, so a former primary that still accepts writes has a smaller number than its successor.
struct Timeline: Equatable, Sendable {
  /// The identifier that all copies of a database cluster have in common. A server that was created anew, for example
  /// by pg_upgrade, has a different identifier.
  let system: Int64
  let number: Int64

  init(system: Int64, number: Int64) {
    self.system = system
    self.number = number
  }

  /// The SQL of two columns: the identifier of the system, and the number of the timeline as eight hexadecimal digits.
  /// On a standby, the number is NULL.
  ///
  /// The number is read from the name of the current write-ahead log file and not from the last checkpoint, which can
  /// be older than the promotion.
  static let columns = """
    (SELECT system_identifier FROM pg_control_system()),
    CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
    """

  /// Reads the first two columns of a row.
  /// - Returns: Nil on a standby.
  init?(_ row: ResultRow) throws(StoreError) {
    guard let digits = try row[1] as String?, let number = Int64(digits, radix: 16) else { return nil }
    self.init(system: try row[0], number: number)
  }

  /// Whether a server with this timeline was the primary before a server with another timeline was promoted.
  func isFormer(after other: Timeline) -> Bool { self.system == other.system && self.number < other.number }
}
