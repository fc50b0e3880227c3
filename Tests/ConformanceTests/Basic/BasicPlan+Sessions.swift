import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

extension BasicPlan {
  @Suite("oidcc-basic-certification-test-plan, oidcc-formpost-basic-certification-test-plan: a second authorization")
  struct Sessions {
    @Test("oidcc-prompt-login: a signed-in user signs in again, and auth_time is later", arguments: ResponseMode.allCases)
    func promptLogin(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site).receiving(by: mode), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        site.fixture.clock.advance(by: .seconds(1))
        let request = party.request.with("prompt", "login")
        #expect(try await browser.authorize(request).isSignInPage)
        let second = try await party.signIn(request, with: browser)
        #expect(second.idToken.sub == first.idToken.sub)
        #expect(try #require(second.idToken.authTime) > (try #require(first.idToken.authTime)))
      }
    }

    @Test(
      "oidcc-prompt-none-not-logged-in: prompt=none without a session is login_required", arguments: ResponseMode.allCases)
    func promptNoneSignedOut(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site).receiving(by: mode)
        let request = party.request.with("prompt", "none")
        try party.expectError(try await party.browser().authorize(request), "login_required", request)
      }
    }

    /// Sends a request, and validates a response that the server must return without showing a page.
    private func silently(
      _ party: RelyingParty, _ request: AuthorizeParameters, _ browser: TestBrowser
    ) async throws -> RelyingParty.SignIn {
      try await party.receive(try await browser.authorize(request), to: request)
    }

    @Test(
      "oidcc-prompt-none-logged-in: prompt=none with a session returns a code at once, for the same user",
      arguments: ResponseMode.allCases)
    func promptNoneSignedIn(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site).receiving(by: mode), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        site.fixture.clock.advance(by: .seconds(5))
        let second = try await self.silently(party, party.request.with("prompt", "none"), browser)
        #expect(second.idToken.sub == first.idToken.sub && second.idToken.authTime == first.idToken.authTime)
      }
    }

    @Test(
      "oidcc-id-token-hint: prompt=none with an ID token of the signed-in user returns a code at once",
      arguments: ResponseMode.allCases)
    func idTokenHint(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site).receiving(by: mode), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        let request = party.request.with("prompt", "none").with("id_token_hint", first.idToken.text)
        let second = try await self.silently(party, request, browser)
        #expect(second.idToken.sub == first.idToken.sub && second.idToken.authTime == first.idToken.authTime)
      }
    }

    @Test("oidcc-max-age-1: an older session requires a new sign-in, and auth_time is later", arguments: ResponseMode.allCases)
    func maxAge1(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site).receiving(by: mode), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        site.fixture.clock.advance(by: .seconds(2))
        let request = party.request.with("max_age", "1")
        #expect(try await browser.authorize(request).isSignInPage)
        let second = try await party.signIn(request, with: browser)
        #expect(try #require(second.idToken.authTime) > (try #require(first.idToken.authTime)))
      }
    }

    @Test("oidcc-max-age-10000: a recent session is enough, and auth_time stays the same", arguments: ResponseMode.allCases)
    func maxAge10000(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site).receiving(by: mode), TestBrowser(site))
        let first = try await party.signIn(party.request.with("max_age", "15000"), with: browser)
        site.fixture.clock.advance(by: .seconds(10))
        let second = try await self.silently(party, party.request.with("max_age", "10000"), browser)
        #expect(second.idToken.sub == first.idToken.sub)
        #expect(second.idToken.authTime == first.idToken.authTime && second.idToken.authTime != nil)
      }
    }
  }
}
