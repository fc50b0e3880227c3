import GRDB
public import SallyportProtocol
public import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SQLiteAccess {
  public func pushedRequest(_ fingerprint: Fingerprint) throws(StoreError) -> PushedRequestRecord? {
    try self.row(
      "SELECT fingerprint, client_id, sealed_parameters, expires_at, consumed_at FROM pushed_request WHERE fingerprint = ?",
      [fingerprint.column]
    ) { row in
      PushedRequestRecord(
        fingerprint: row.fingerprint(0), client: ClientID(rawValue: row[1]), sealedParameters: row.bytes(2),
        expiresAt: row.time(3), consumedAt: row.optionalTime(4))
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ request: PushedRequestRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO pushed_request (fingerprint, client_id, sealed_parameters, expires_at, consumed_at) VALUES (?, ?, ?, ?, ?)
      """,
      [
        request.fingerprint.column, request.client.rawValue, Data(request.sealedParameters), request.expiresAt.milliseconds,
        request.consumedAt?.milliseconds,
      ])
  }

  public mutating func consumePushedRequest(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE pushed_request SET consumed_at = ? WHERE fingerprint = ? AND consumed_at IS NULL",
      [now.milliseconds, fingerprint.column]) == 1
  }
}
