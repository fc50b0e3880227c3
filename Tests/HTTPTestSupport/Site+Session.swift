import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

extension Site {
  /// Starts a browser session for `ada` without checking a password, and returns a refresh token that an app obtains in
  /// this session.
  package func refreshTokenOfSession() async throws -> String {
    let account = try #require(try await self.fixture.server.accounts.account(named: Username("ada")))
    let session = try #require(
      try await self.fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server))
    let browser = TestBrowser(self)
    browser.cookies["__Host-sallyport"] = session.reveal()
    let request = AuthorizeParameters().with("scope", "openid offline_access")
    let code = try #require(try await browser.complete(request).parameters["code"])
    return try #require(try await self.redeem(code).json["refresh_token"])
  }
}
