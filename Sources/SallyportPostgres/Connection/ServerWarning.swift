import CLibPQ

/// A warning that the server sent with a response.
struct ServerWarning {
  /// The five characters of the SQLSTATE.
  let state: String
  let message: String
  /// The function in PostgreSQL's source code that sent the warning; nil if the server does not name it.
  let function: String?

  /// - Parameter notice: A notice of libpq.
  /// - Returns: Nil if the notice is not a warning.
  init?(_ notice: OpaquePointer?) {
    func field(_ field: Int32) -> String? {
      libpq_PQresultErrorField(notice, field).map { String(cString: $0) }
    }
    guard field(LIBPQ_DIAG_SEVERITY) == "WARNING" else { return nil }
    self.state = field(LIBPQ_DIAG_SQLSTATE) ?? ""
    self.message = field(LIBPQ_DIAG_MESSAGE) ?? ""
    self.function = field(LIBPQ_DIAG_FUNCTION)
  }

  /// Why the outcome of a COMMIT with this warning is unknown; nil if the warning does not concern the commit.
  ///
  /// PostgreSQL's `SyncRepWaitForLSN` sends a warning if the wait for the standby was canceled. The SQLSTATE is `01000`
  /// if another session canceled the wait, and `57P01` if the server ends the session. The message depends on the
  /// server's language. A server that is derived from PostgreSQL may not name the function. Therefore, `01000` without
  /// a function counts too, and so does every state of the class 57 (operator intervention).
  var reasonForUnknownOutcome: String? {
    if self.function == "SyncRepWaitForLSN" { return "the primary committed, but did not wait for its standby" }
    guard self.state.hasPrefix("57") || (self.state == "01000" && self.function == nil) else { return nil }
    return "the primary committed with a warning, and may not have waited for its standby (\(self.state): \(self.message))"
  }
}
