import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Consent forms with an insufficient session")
struct SessionEndTests {
  /// A signed-in browser on the consent page, with the session and interaction that the form's handler reads.
  private func consent(
    _ site: Site
  ) async throws -> (browser: TestBrowser, page: Reply, interaction: Interaction, session: BrowserSessions.Active) {
    let browser = TestBrowser(site)
    let page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
    let session = try await site.fixture.server.sessions.active(browser.cookies["__Host-sallyport"])
    let interaction = try await site.fixture.server.interactions.open(try #require(page.sealedInteraction))
    return (browser, page, interaction, try #require(session))
  }

  @Test("no code is issued and nothing is stored if the session ends while a consent form is processed")
  func endedMeanwhile() async throws {
    try await withSite { site in
      let server = site.fixture.server
      let (_, _, interaction, session) = try await self.consent(site)
      try await server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      try await site.expectingSameRowCounts {
        await #expect {
          try await server.authorization.decide(interaction, session: session, allow: true, from: .server)
        } throws: { error in
          guard case AuthorizeError.page(.interactionInvalid) = error else { return false }
          return true
        }
      }
    }
  }

  @Test("a consent page that was open when the account changed requires a new sign-in", arguments: AccountChange.allCases)
  func openPage(change: AccountChange) async throws {
    try await withSite { site in
      let (browser, page, _, _) = try await self.consent(site)
      try await change.apply(to: "ada", in: site)
      try await site.expectingSameRowCounts {
        let reply = try await browser.decide(page, "allow")
        #expect(reply.isSignInPage)
      }
    }
  }

  @Test("S-41: a consent form cannot skip the new sign-in that the request requires")
  func promptLogin() async throws {
    try await withSite { site in
      let server = site.fixture.server
      let (browser, _, _, session) = try await self.consent(site)
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await browser.authorize(AuthorizeParameters().with("prompt", "login"))
      let sealed = try #require(page.sealedInteraction)
      let interaction = try await server.interactions.open(sealed)
      // The CSRF token is valid, but the session is older than the request.
      let token = server.csrfTokens.token(purpose: "consent", session: session.record, interaction: interaction.id)
      try await site.expectingSameRowCounts {
        let reply = try await browser.post("/interaction/consent?i=\(sealed)", [("csrf", token), ("decision", "allow")])
        expectErrorPage(reply)
      }
    }
  }
}
