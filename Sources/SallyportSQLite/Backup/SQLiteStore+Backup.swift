import GRDB
public import SallyportProtocol
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

  /// Ends whatever could have ended since a backup was made: browser sessions, grants, and requests on their way.
  ///
  /// A database that comes back knows nothing of what was revoked after the copy. Kept grants would give a stolen device its access back.
  /// - Returns: how many sessions and grants were ended.
  public func endEverything(at now: Timestamp) async throws(StoreError) -> (sessions: Int, grants: Int) {
    try await self.commits.run { (tx) throws(StoreError) in
      let sessions = try tx.change(
        "UPDATE browser_session SET ended_at = ?1 WHERE ended_at IS NULL AND expires_at > ?1", [now.milliseconds])
      let grants = try tx.change(
        "UPDATE oauth_grant SET revoked_at = ?1, revocation_reason = ?2 WHERE revoked_at IS NULL AND expires_at > ?1",
        [now.milliseconds, RevocationReason.restored.rawValue])
      try tx.change("UPDATE refresh_token SET sealed_successor = NULL WHERE sealed_successor IS NOT NULL")
      try tx.change("DELETE FROM device_authorization WHERE consumed_at IS NULL")
      try tx.change("DELETE FROM pushed_request")
      return (sessions, grants)
    }
  }
}
