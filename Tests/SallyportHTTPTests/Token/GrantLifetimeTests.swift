import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("How long grants last")
struct GrantLifetimeTests {
  @Test(
    "only a grant with a refresh token lasts longer than its first access token",
    arguments: [
      (scope: "openid offline_access", grantTypes: [GrantType.authorizationCode, .refreshToken], lasts: true),
      ("openid offline_access", [.authorizationCode], false), ("openid", [.authorizationCode, .refreshToken], false),
    ])
  func lifetime(scope: String, grantTypes: [GrantType], lasts: Bool) async throws {
    try await withSite { site in
      var client = try TestClient.claimedHTTPS.record
      client.grantTypes = grantTypes
      try await site.add(client)
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", scope)
      let code = try #require(try await TestBrowser(site).complete(request).parameters["code"])
      let response = try await site.redeem(code, .claimedHTTPS)
      #expect((response.json["refresh_token"] != nil) == lasts)
      let account = try #require(try await site.fixture.server.accounts.account(named: Username("ada")))
      let grants = try await site.fixture.store.read { (tx) throws(StoreError) in try tx.grants(of: account.id) }
      let lifetimes = site.fixture.server.configuration.lifetimes
      let expected = lasts ? lifetimes.grant : lifetimes.authorizationCode + lifetimes.accessToken
      #expect(grants.map { $0.grant.expiresAt - $0.grant.createdAt } == [expected])
    }
  }
}
