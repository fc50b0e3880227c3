extension Schema {
  /// The audit trail. It has no foreign keys to accounts and clients, because audit records remain when these are
  /// removed.
  ///
  /// Identifiers begin with the time in milliseconds since 1970, as 11 hexadecimal digits. Rows are therefore appended
  /// at the end, and the primary key suffices to find the rows of a period. `more` is the number of rejected attempts
  /// that were only counted (``AuditRecord/more``).
  static let auditTable = """
    CREATE TABLE audit (
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) > 11),
      at INTEGER NOT NULL,
      event TEXT NOT NULL CHECK (event <> ''),
      reason TEXT CHECK (reason <> ''),
      source TEXT NOT NULL CHECK (source IN ('request', 'command', 'server')),
      address TEXT,
      request_id TEXT,
      account_id TEXT,
      client_id TEXT,
      grant_id TEXT,
      session_id TEXT,
      subject TEXT,
      more INTEGER NOT NULL CHECK (more >= 0)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is not changed'); END;
    """
}
