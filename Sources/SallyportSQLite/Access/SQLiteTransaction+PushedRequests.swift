import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func pushedRequest(_ fingerprint: Fingerprint) throws(StoreError) -> PushedRequestRecord? {
    try self.row(
      "SELECT fingerprint, client_id, sealed_parameters, expires_at FROM pushed_request WHERE fingerprint = ?",
      [fingerprint]
    ) { (row) throws(StoreError) in
      try PushedRequestRecord(
        fingerprint: row.fingerprint(0), client: ClientID(rawValue: row[1]), sealedParameters: row.bytes(2),
        expiresAt: row.time(3))
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ request: PushedRequestRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO pushed_request (fingerprint, client_id, sealed_parameters, expires_at) VALUES (?, ?, ?, ?)
      """,
      [
        request.fingerprint, request.client.rawValue, request.sealedParameters, request.expiresAt,
      ])
  }
}
