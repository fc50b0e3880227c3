import HTTPTestSupport
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

extension BasicPlan {
  @Suite("oidcc-basic-certification-test-plan: a person who comes again")
  struct Sessions {
    @Test("oidcc-prompt-login: who is signed in signs in once more, and auth_time is later")
    func promptLogin() async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        site.fixture.clock.advance(by: .seconds(1))
        let request = party.request.with("prompt", "login")
        #expect(try await browser.authorize(request).isSignInPage)
        let second = try await party.signIn(request, with: browser)
        #expect(second.idToken.sub == first.idToken.sub)
        #expect(try #require(second.idToken.authTime) > (try #require(first.idToken.authTime)))
      }
    }

    @Test("oidcc-prompt-none-not-logged-in: prompt=none without a sign-in is login_required")
    func promptNoneSignedOut() async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let request = party.request.with("prompt", "none")
        expectErrorRedirect(try await party.browser().authorize(request), "login_required", request)
      }
    }

    /// Without a page in between: the browser is sent straight back.
    private func silently(
      _ party: RelyingParty, _ request: AuthorizeParameters, _ browser: TestBrowser
    ) async throws -> RelyingParty.SignIn {
      try await party.receive(try await browser.authorize(request), to: request)
    }

    @Test("oidcc-prompt-none-logged-in: prompt=none with a sign-in answers at once, for the same person")
    func promptNoneSignedIn() async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        site.fixture.clock.advance(by: .seconds(5))
        let second = try await self.silently(party, party.request.with("prompt", "none"), browser)
        #expect(second.idToken.sub == first.idToken.sub && second.idToken.authTime == first.idToken.authTime)
      }
    }

    @Test("oidcc-id-token-hint: prompt=none with the ID token of the person answers at once")
    func idTokenHint() async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        let request = party.request.with("prompt", "none").with("id_token_hint", first.idToken.text)
        let second = try await self.silently(party, request, browser)
        #expect(second.idToken.sub == first.idToken.sub && second.idToken.authTime == first.idToken.authTime)
      }
    }

    @Test("oidcc-max-age-1: an older sign-in does not do, and auth_time says when the new one was")
    func maxAge1() async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
        let first = try await party.signIn(with: browser)
        site.fixture.clock.advance(by: .seconds(2))
        let request = party.request.with("max_age", "1")
        #expect(try await browser.authorize(request).isSignInPage)
        let second = try await party.signIn(request, with: browser)
        #expect(try #require(second.idToken.authTime) > (try #require(first.idToken.authTime)))
      }
    }

    @Test("oidcc-max-age-10000: a sign-in that is recent enough does, and auth_time stays")
    func maxAge10000() async throws {
      try await withSite { site in
        let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
        let first = try await party.signIn(party.request.with("max_age", "15000"), with: browser)
        site.fixture.clock.advance(by: .seconds(10))
        let second = try await self.silently(party, party.request.with("max_age", "10000"), browser)
        #expect(second.idToken.sub == first.idToken.sub)
        #expect(second.idToken.authTime == first.idToken.authTime && second.idToken.authTime != nil)
      }
    }
  }
}
