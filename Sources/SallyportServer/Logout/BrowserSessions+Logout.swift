import SallyportProtocol

extension BrowserSessions {
  /// Signs the user out.
  /// - Parameter request: The logout request that the user confirmed.
  package func end(_ cookie: String?, for request: LogoutRequest, from origin: AuditOrigin) async throws(StoreError) {
    guard let fingerprint = cookie.flatMap({ OpaqueToken(.browserSession, $0)?.fingerprint }) else { return }
    let now = self.now()
    let cause = SessionEnd.Cause(reason: request.auditReason, client: request.client?.id, origin: origin)
    try await self.store.write { (tx) throws(StoreError) in
      guard let record = try tx.browserSession(fingerprint) else { return }
      try SessionEnd.end(record, cause, at: now, in: &tx)
    }
    self.deliveries.send()
  }
}
