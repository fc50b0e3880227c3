extension Schema {
  /// The audit trail. It names accounts and clients without referring to them, since it outlives them.
  ///
  /// The identifiers begin with the time, so that the key alone finds a time and what is older than it, and rows are added at its end.
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
