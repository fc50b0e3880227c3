/// Why an exchange with the PostgreSQL server failed.
enum ConnectionError: Error {
  /// The server rejected a statement.
  case rejected(Rejection)
  /// The connection is closed, because it failed or the server did not respond by the deadline. It is unknown which of
  /// the sent statements the server ran.
  case lost(reason: String)

  /// An error response of the server.
  struct Rejection {
    /// The five characters of the SQLSTATE.
    let state: String
    let message: String
    /// The position of the rejected statement among the statements of the exchange, from 0.
    let position: Int
    /// Whether the server ended the session with this error.
    let isFatal: Bool

    /// Whether a concurrent transaction prevents this one from being committed: `serialization_failure` or
    /// `deadlock_detected`. The transaction can succeed if it is repeated.
    var isConcurrencyFailure: Bool { self.state == "40001" || self.state == "40P01" }

    /// Whether a lock was not available in time (`lock_not_available`).
    var isLockTimeout: Bool { self.state == "55P03" }

    /// Whether the creation of an index may have failed because another session is creating the same index:
    /// `duplicate_table`, or a serialization failure, deadlock, or lock timeout.
    var isConcurrentIndexFailure: Bool { self.state == "42P07" || self.isConcurrencyFailure || self.isLockTimeout }

    /// Whether a statement violates uniqueness, a foreign key, or a trigger's rule. A violation of a `CHECK` is not a
    /// conflict, because it means that the record itself is invalid.
    var isConflict: Bool { self.state == "23505" || self.state == "23503" || self.state == Self.brokenRule }

    /// Whether a statement that should change or find one row changed or found none (`division_by_zero`, see
    /// ``TransactionAttempt/expectChange(_:_:)``).
    var isUnexpectedCount: Bool { self.state == "22012" }

    /// Whether the session can no longer be used, for example because the server is shutting down (class `57P`), the
    /// connection failed (class `08`), or the server is now a standby (`read_only_sql_transaction`).
    var endsSession: Bool { self.isFatal || self.state == "25006" || self.state.hasPrefix("57P") || self.state.hasPrefix("08") }

    /// The SQLSTATE that the schema's triggers raise (`integrity_constraint_violation`).
    static let brokenRule = "23000"

    var description: String { "PostgreSQL error \(self.state): \(self.message)" }
  }
}
