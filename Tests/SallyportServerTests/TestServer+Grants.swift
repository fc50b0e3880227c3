import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport

extension TestServer {
  /// Stores a code as if the user "ada" had given consent.
  func insertCode(_ change: @Sendable (inout GrantRecord, inout AuthorizationCodeRecord) -> Void = { _, _ in }) async throws
    -> String
  {
    let now = self.clock.now
    let code = AuthorizationCode.random(of: GrantID(rawValue: RandomText.base64URL(bits: 128)))
    let account = try await self.store.read { (tx) throws(StoreError) in try tx.accounts(after: nil, limit: 1_000) }[0]
    var grant = GrantRecord(
      id: code.grant, client: TestClient.loopback.id, account: account.id,
      scope: "openid offline_access", authenticatedAt: now, createdAt: now, expiresAt: now + .seconds(365 * 86_400))
    var record = AuthorizationCodeRecord(
      fingerprint: code.fingerprint, grant: grant.id, redirectURI: TestClient.loopback.requestedURI,
      challenge: try CodeChallenge(stored: AuthorizeParameters.challenge), expiresAt: now + .seconds(60))
    change(&grant, &record)
    // Constants, because the closure cannot capture the variables.
    let (changedGrant, changedCode) = (grant, record)
    try await self.store.write { (tx) throws(StoreError) in
      try tx.insert(changedGrant)
      try tx.insert(changedCode)
    }
    return code.text.reveal()
  }

  func redeem(_ code: String, verifier: String = AuthorizeParameters.verifier) async throws -> TokenResponse {
    try await self.server.token.respond(
      to: FormParameters.encode([
        ("grant_type", "authorization_code"), ("code", code), ("client_id", "loopback"),
        ("redirect_uri", TestClient.loopback.requestedURI), ("code_verifier", verifier),
      ]), authorization: nil, origin: .request("test", from: nil), from: .unknown
    ).response
  }

  func refresh(_ token: Secret<String>) async throws -> TokenResponse {
    try await self.server.token.respond(
      to: FormParameters.encode([
        ("grant_type", "refresh_token"), ("refresh_token", token.reveal()), ("client_id", "loopback"),
      ]), authorization: nil, origin: .request("test", from: nil), from: .unknown
    ).response
  }
}
