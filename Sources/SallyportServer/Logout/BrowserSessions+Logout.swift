import SallyportProtocol

extension BrowserSessions {
  /// Signs users out of a browser.
  /// - Parameters:
  ///   - accounts: The accounts to sign out. Nil for all accounts of the browser.
  ///   - request: The logout request that the user confirmed.
  /// - Returns: The cookie with the remaining sessions; nil if there are none.
  @discardableResult
  package func end(
    _ cookie: String?, only accounts: Set<AccountID>? = nil, for request: LogoutRequest, from origin: AuditOrigin
  ) async throws(StoreError) -> SessionCookie? {
    let fingerprints = SessionCookie.tokens(in: cookie).map(\.fingerprint)
    guard !fingerprints.isEmpty else { return nil }
    let now = self.now()
    let cause = SessionEnd.Cause(reason: request.auditReason, client: request.client?.id, origin: origin)
    try await self.store.write { (tx) throws(StoreError) in
      for fingerprint in fingerprints {
        guard let record = try tx.browserSession(fingerprint), accounts?.contains(record.account) ?? true else { continue }
        try SessionEnd.end(record, cause, at: now, in: &tx)
      }
    }
    self.logoutSignal.send()
    return try await self.cookieWithoutEnded(cookie)
  }
}
