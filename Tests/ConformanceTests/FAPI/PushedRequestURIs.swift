import HTTPTestSupport
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan: the life of a request_uri")
struct PushedRequestURIs {
  @Test(
    """
    fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds: \
    a request_uri that was opened and not finished can be opened again
    """)
  func openedTwice() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let pushed = try await secure.push()
      #expect(try await TestBrowser(site).open(try secure.address(pushed)).isSignInPage)
      _ = try await secure.signIn(pushed: pushed)
    }
  }

  @Test("fapi2-security-profile-final-par-attempt-reuse-request_uri: after the answer it is used up")
  func reused() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let pushed = try await secure.push()
      _ = try await secure.signIn(pushed: pushed)
      expectErrorPage(try await TestBrowser(site).open(try secure.address(pushed)))
    }
  }

  @Test("fapi2-security-profile-final-par-attempt-to-use-expired-request_uri: it ends when its answer said")
  func expired() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let pushed = try await secure.push()
      let seconds = try #require(pushed.body.firstMatch(of: /"expires_in":([0-9]+)/).flatMap { Int64($0.1) })
      site.fixture.clock.advance(by: .seconds(seconds))
      expectErrorPage(try await TestBrowser(site).open(try secure.address(pushed)))
    }
  }

  @Test("fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client: it is for the client that pushed it")
  func otherClient() async throws {
    try await withSite { site in
      let (one, other) = (try await SecureParty.registered(on: site), try await SecureParty.registered(on: site))
      expectErrorPage(try await TestBrowser(site).open(try one.address(try await one.push(), client: other.party.id)))
    }
  }
}
