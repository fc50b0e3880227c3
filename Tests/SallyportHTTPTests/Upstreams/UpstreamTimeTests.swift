import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Times of sign-ins through upstreams")
struct UpstreamTimeTests {
  @Test("the default_max_age of a stored client is limited like the max_age parameter", arguments: [Int64.max, -1])
  func storedMaximumAge(seconds: Int64) async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      var client = try TestClient.claimedHTTPS.record
      client.details.defaultMaxAge = seconds
      try await site.add(client)
      let browser = TestBrowser(site)
      let request = try await browser.begin(upstream, on: try await browser.authorize(AuthorizeParameters(.claimedHTTPS)))
      #expect(request.parameters["max_age"] == (seconds < 0 ? "0" : "2147483647"))
      site.fixture.clock.advance(by: .seconds(5))
      upstream.change { $0.claims = ["auth_time": .integer(site.fixture.clock.now.seconds)] }
      #expect(try await browser.open(try upstream.signIn(request)).isConsentPage)
    }
  }

  @Test("a code of an authenticator app does not make a session newer than its sign-in at the upstream, on which max_age depends")
  func code() async throws {
    try await withUpstream { site, upstream in
      let owner = TestBrowser(site)
      try await owner.openAccount()
      _ = try await owner.connect(upstream)
      let (app, _) = try await TestBrowser(site).addApp()
      let old = site.fixture.clock.now.seconds - 5_000
      upstream.change { $0.claims = ["auth_time": .integer(old)] }
      // The old sign-in at the upstream satisfies `1`, and with the code also `2`. For `phr`, which neither satisfies,
      // the sign-in must be newer than the request.
      for (value, isAccepted) in [("1", true), ("2", true), ("phr", false)] {
        let browser = TestBrowser(site)
        let page = try await browser.signIn(
          through: upstream, on: try await browser.authorize(AuthorizeParameters().with("acr_values", value)))
        #expect(page.isCodePage == isAccepted && (page.status == .forbidden) != isAccepted, "\(value)")
        guard isAccepted else { continue }
        let consent = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
        site.fixture.clock.advance(by: .seconds(30))
        let code = try #require(try await browser.decide(consent, "allow").parameters["code"], "\(value)")
        #expect(try decodedClaims(of: try Tokens(try await site.redeem(code)).id)["auth_time"] as? Int == Int(old))
        #expect(try await browser.authorize(AuthorizeParameters().with("max_age", "100")).isSignInPage)
      }
    }
  }

  @Test("while a provider's keys cannot be fetched, the old keys are used for a day, even after the metadata was fetched again")
  func oldKeys() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      for (pause, isAccepted) in [(0, true), (3_600, true), (82_800, false)] {
        site.fixture.clock.advance(by: .seconds(pause))
        let page = try await TestBrowser(site).signIn(through: upstream)
        #expect(page.isConsentPage == isAccepted, "after \(pause) more seconds")
        upstream.transport.on(upstream.issuer.jwksURL, fail: .timedOut)
      }
      #expect(upstream.transport.requests(to: upstream.issuer.configurationURL).count == 3)
    }
  }

  @Test(
    "an extreme auth_time of a provider does not prevent a sign-in, and a session's authentication time is never in the future",
    arguments: [.integer(.max), .integer(.min), .integer(-1), 1e308, -1e308] as [JSONValue])
  func extremeTime(time: JSONValue) async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      upstream.change { $0.claims = ["auth_time": time] }
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(through: upstream)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let claims = try decodedClaims(of: try Tokens(try await site.redeem(code)).id)
      let isFuture = time == .integer(.max) || time == 1e308
      #expect(claims["auth_time"] as? Int == (isFuture ? Int(site.fixture.clock.now.seconds) : 0))
      #expect(try await browser.open("/account").isAccountPage)
      #expect(try await browser.get("/account/data").status == .ok)
    }
  }
}
