import GRDB
import SallyportProtocol
public import SallyportServer

extension SQLiteStore {
  /// Writes a copy of the database's current content to a new file, and returns when the copy is on disk.
  ///
  /// Other processes can read and write the database meanwhile, without waiting. The copy is a single file without a
  /// write-ahead log. Only the owner can read the file. The copy contains no remains of deleted rows, and has the same
  /// schema version as the original.
  /// - Throws: ``StoreError/unavailable(reason:)``, for example if the target file exists.
  public static func copy(_ path: String, to target: String) throws(StoreError) {
    try DatabaseFile(path: path).copy(to: target)
  }

  /// Replaces the content of a database that is in use with the content of another file, in one transaction.
  ///
  /// Other connections see either the old or the new content. Reads do not wait. Writes wait until the replacement is
  /// complete, and fail if they wait for longer than the lock timeout.
  /// - Parameters:
  ///   - source: A copy that ``prepareRestored(_:signingKeys:revokingGrants:)`` prepared.
  ///   - beforehand: Runs before anything is replaced. No connection can write meanwhile, so this closure can make a
  ///     complete copy of the old content.
  /// - Throws: Any error of `beforehand`, or ``StoreError/unavailable(reason:)``. The database is then unchanged.
  public static func replaceContent(of path: String, by source: String, beforehand: @escaping () throws -> Void) throws {
    try DatabaseFile(path: path).replaceContent(by: DatabaseFile(path: source), beforehand: beforehand)
  }

  /// Returns all signing keys of a database that may be in use.
  /// - Throws: ``StoreError/unavailable(reason:)`` if the file cannot be read.
  package static func signingKeys(of path: String) throws(StoreError) -> [SigningKeyRecord] {
    let file = try DatabaseFile(path: path).openReader()
    return try convertingErrors {
      defer { try? file.close() }
      return try file.read { db in try SQLiteSnapshot(db: db).signingKeys() }
    }
  }

  /// Prepares a database from a backup for use.
  ///
  /// Grants that were revoked after the backup was made are still valid in it, so a restored grant could give a stolen
  /// device access again. Everything that could give such access therefore ends or is removed, unless `revokingGrants`
  /// is false. See docs/decisions/0048-backups.md.
  /// - Parameters:
  ///   - record: The audit record of the restoration. Its time is also the time at which sessions and grants end.
  ///   - signingKeys: The signing keys that replace the keys of the copy; nil to keep the keys of the copy.
  ///   - revokingGrants: Whether to end browser sessions and grants, and to remove pushed requests, unfinished sign-ins
  ///     through upstreams (other OpenID providers), one-time links, links for sign-up, queued mail, the sealed
  ///     successors of refresh tokens, and device authorizations that have not been redeemed.
  /// - Returns: The number of sessions and of grants that were ended.
  public func prepareRestored(
    _ record: AuditRecord, signingKeys: [SigningKeyRecord]? = nil, revokingGrants: Bool
  ) async throws(StoreError) -> (sessions: Int, grants: Int) {
    try await self.commits.run { (tx) throws(StoreError) in
      try tx.insert(record)
      if let signingKeys {
        try tx.change("DELETE FROM signing_key")
        for key in signingKeys { try tx.insert(key) }
      }
      // The configuration version must differ from any that a running server has seen, so that the server reloads its
      // clients and keys. The version grows by one with each change, and changes are less frequent than one per
      // millisecond, so the time in milliseconds is larger than all earlier versions unless the clock was wrong.
      try tx.change("UPDATE configuration SET version = max(version + 1, ?) WHERE id = 1", [record.at])
      return revokingGrants ? try tx.endAllSessionsAndGrants(at: record.at) : (0, 0)
    }
  }
}

extension SQLiteTransaction {
  fileprivate mutating func endAllSessionsAndGrants(at now: Timestamp) throws(StoreError) -> (sessions: Int, grants: Int) {
    let sessions = try self.change(
      "UPDATE browser_session SET ended_at = ?1 WHERE ended_at IS NULL AND expires_at > ?1", [now])
    let grants = try self.change(
      "UPDATE oauth_grant SET revoked_at = ?1, revocation_reason = ?2 WHERE revoked_at IS NULL AND expires_at > ?1",
      [now, RevocationReason.restored.rawValue])
    // A revoked grant does not need the sealed successors of its refresh tokens.
    try self.change("UPDATE refresh_token SET sealed_successor = NULL WHERE sealed_successor IS NOT NULL")
    try self.change("DELETE FROM device_authorization WHERE consumed_at IS NULL")
    try self.change("DELETE FROM pushed_request")
    try self.change("DELETE FROM upstream_request")
    // A link that was used after the backup could be used again.
    try self.change("DELETE FROM account_link")
    try self.change("DELETE FROM sign_up")
    try self.change("DELETE FROM mail")
    return (sessions, grants)
  }
}
