import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Grants and sessions after a password change, or after the account was disabled")
struct AccountChangeTests {
  @Test(
    "S-37: codes and refresh tokens become invalid when the account changes, even in the same millisecond",
    arguments: AccountChange.allCases
  )
  func ends(change: AccountChange) async throws {
    try await withSite { site in
      let (code, tokens) = (try await site.code(), try await site.tokens())
      try await change.apply(to: "ada", in: site)
      expectTokenError(try await site.redeem(code), "invalid_grant")
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
    }
  }

  @Test(
    "S-37: a grant that was not revoked when the account changed is rejected, because it is older than the change",
    arguments: AccountChange.allCases)
  func comparesTimes(change: AccountChange) async throws {
    try await withSite { site in
      let (code, tokens) = (try await site.code(), try await site.tokens())
      site.fixture.clock.advance(by: .milliseconds(1))
      try await change.applyWithoutRevocation(to: "ada", in: site)
      expectTokenError(try await site.redeem(code), "invalid_grant")
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
    }
  }

  @Test("a session of a disabled account is not accepted, even if the session was not ended")
  func disabledSession() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      #expect(try await browser.authorize(AuthorizeParameters()).isConsentPage)
      try await AccountChange.disabled.applyWithoutRevocation(to: "ada", in: site)
      #expect(try await browser.authorize(AuthorizeParameters()).isSignInPage)
    }
  }

  @Test("a pushed request belongs to its client, so it stays valid after a password change, but requires a new sign-in")
  func pushedRequest() async throws {
    try await withSite { site in
      let pushed = try await site.post("/par", AuthorizeParameters().list)
      let uri = try #require(pushed.json["request_uri"])
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      let query = FormParameters.encode([("client_id", "loopback"), ("request_uri", uri)])
      let page = try await browser.open("/authorize?\(query)")
      #expect(page.isSignInPage)
      #expect(try await browser.signIn(page, password: TestServer.otherPassword).isConsentPage)
    }
  }
}
