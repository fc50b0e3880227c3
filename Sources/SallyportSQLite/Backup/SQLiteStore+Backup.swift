import GRDB
import SallyportProtocol
public import SallyportServer

extension SQLiteStore {
  /// Writes what a database holds at this moment into a new file, which is on the disk when this returns.
  ///
  /// Others may read and write the database meanwhile, in this process or another, and wait for nothing. The copy is one file without
  /// a log beside it, for its owner only, and has no trace of rows that were removed. The schema stays as it is.
  /// - Throws: ``StoreError/unavailable(reason:)``, among others where there is a file already.
  public static func copy(_ path: String, to target: String) throws(StoreError) {
    try DatabaseFile(path: path).copy(to: target)
  }

  /// Gives a database that others are using what another file holds, in one transaction. Each of theirs sees all of the old or all of the new;
  /// who reads waits for nothing, and who writes waits as for any other write, so one that would wait too long is told so.
  /// - Parameters:
  ///   - source: a copy that ``settleRestored(_:signingKeys:endingGrants:)`` has made ready.
  ///   - keep: runs while nobody can write and before anything is replaced, so that a copy made in it misses nothing.
  /// - Throws: what `keep` throws, or ``StoreError/unavailable(reason:)``; then the database is as it was.
  public static func replaceContent(of path: String, by source: String, keep: @escaping () throws -> Void) throws {
    try DatabaseFile(path: path).replaceContent(by: DatabaseFile(path: source), keep: keep)
  }

  /// Makes a database that comes back from a backup ready to be used.
  ///
  /// It knows nothing of what was revoked after the copy, and kept grants would give a stolen device its access back. So whatever could have
  /// ended since then ends: browser sessions, grants, and requests on their way.
  /// - Parameters:
  ///   - record: tells it in the audit trail; its time is the end's.
  ///   - signingKeys: take the place of those in the copy; nil leaves them.
  ///   - endingGrants: false keeps all of them.
  /// - Returns: how many sessions and grants were ended.
  public func settleRestored(
    _ record: AuditRecord, signingKeys: [SigningKeyRecord]? = nil, endingGrants: Bool
  ) async throws(StoreError) -> (sessions: Int, grants: Int) {
    try await self.commits.run { (tx) throws(StoreError) in
      try tx.insert(record)
      if let signingKeys {
        try tx.change("DELETE FROM signing_key")
        for key in signingKeys { try tx.insert(key) }
      }
      // Another than any that a running server may have seen, so that it forgets what it knows of the old configuration. It is raised by
      // one with each change, and there are fewer changes than milliseconds.
      try tx.change("UPDATE configuration SET version = max(version + 1, ?) WHERE id = 1", [record.at])
      return endingGrants ? try tx.endEverything(at: record.at) : (0, 0)
    }
  }
}

extension SQLiteTransaction {
  fileprivate mutating func endEverything(at now: Timestamp) throws(StoreError) -> (sessions: Int, grants: Int) {
    let sessions = try self.change(
      "UPDATE browser_session SET ended_at = ?1 WHERE ended_at IS NULL AND expires_at > ?1", [now])
    let grants = try self.change(
      "UPDATE oauth_grant SET revoked_at = ?1, revocation_reason = ?2 WHERE revoked_at IS NULL AND expires_at > ?1",
      [now, RevocationReason.restored.rawValue])
    try self.change("UPDATE refresh_token SET sealed_successor = NULL WHERE sealed_successor IS NOT NULL")
    try self.change("DELETE FROM device_authorization WHERE consumed_at IS NULL")
    try self.change("DELETE FROM pushed_request")
    return (sessions, grants)
  }
}
