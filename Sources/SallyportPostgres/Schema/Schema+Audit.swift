extension Schema {
  /// The audit trail. It has no foreign keys to accounts and clients, because audit records remain when these are
  /// removed.
  ///
  /// Identifiers begin with the time, so rows are appended at the end and the primary key alone finds a range of time.
  /// The two most frequent events are not in the index of events, because a scan from the newest record soon finds
  /// enough of them. The column `more` is the number of similar rejected attempts that have no record of their own.
  static let auditTable = """
    CREATE TABLE audit (
      id \(text) PRIMARY KEY CHECK (length(id) > 11),
      at BIGINT NOT NULL,
      event \(text) NOT NULL CHECK (event <> ''),
      reason \(text) CHECK (reason <> ''),
      source \(text) NOT NULL CHECK (source IN ('request', 'command', 'server')),
      address \(text),
      request_id \(text),
      account_id \(text),
      client_id \(text),
      grant_id \(text),
      session_id \(text),
      subject \(text),
      more BIGINT NOT NULL CHECK (more >= 0)
    );
    CREATE INDEX audit_account ON audit (account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX audit_client ON audit (client_id, id) WHERE client_id IS NOT NULL;
    CREATE INDEX audit_event ON audit (event, id) WHERE event <> 'signed-in' AND event <> 'grant-issued';
    \(Self.rejectUpdate("audit_stays", of: nil, on: "audit", when: nil, "the audit trail is not changed"))
    """
}
