/// What a transaction sees of concurrent transactions.
enum IsolationLevel {
  /// The result is as if transactions ran one after the other. PostgreSQL rejects a transaction that may break this
  /// rule.
  case serializable
  /// Each statement sees what was committed before it began.
  case readCommitted
  /// All statements see one snapshot. For reads only.
  case snapshot

  /// The statement that begins a transaction.
  var begin: String {
    switch self {
    case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
    case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
    case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    }
  }
}
