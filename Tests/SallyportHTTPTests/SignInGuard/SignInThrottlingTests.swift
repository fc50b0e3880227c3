import HTTPTypes
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Sign-in throttling")
struct SignInThrottlingTests {
  private static let wrongPassword = "wrong horse"

  /// Posts the page's form with a wrong password from the address `peer`, without cookies.
  private func guess(
    _ site: Site, _ page: Reply, from peer: String, as username: String = "ada", headers: HTTPFields = [:]
  ) async throws -> Reply {
    var all = headers
    all[.origin] = site.issuer.origin
    return try await TestBrowser(site.from(peer)).post(
      try #require(page.formAction),
      [("csrf", try #require(page.csrf)), ("username", username), ("password", Self.wrongPassword)], headers: all)
  }

  private static let manyAddresses = (0..<1_000).map { "203.0.\($0 / 250).\($0 % 250 + 1)" }

  @Test(
    """
    for one user name from one address, five wrong passwords are allowed; then the response is 429 with Retry-After, even for the \
    correct password
    """
  )
  func oneAddress() async throws {
    try await withSite { site in
      let attacker = TestBrowser(site.from("203.0.113.9"))
      let page = try await attacker.authorize(AuthorizeParameters())
      try await site.expectingSameRowCounts(except: "attempt") {
        for _ in 0..<5 { #expect(try await attacker.signIn(page, password: Self.wrongPassword).status == .forbidden) }
        // The wait is 60 seconds, and the server adds one to round up.
        for password in [Self.wrongPassword, TestServer.password] {
          let reply = try await attacker.signIn(page, password: password)
          #expect(reply.status == .tooManyRequests && reply.isSignInPage)
          #expect(reply.headers[.retryAfter] == "61" && reply.body.contains("Try again in 61 seconds."))
          #expect(attacker.cookies.isEmpty)
        }
      }
      // From another address, or after the wait, the user can sign in.
      let victim = TestBrowser(site.from("198.51.100.1"))
      #expect(try await victim.signIn(try await victim.authorize(AuthorizeParameters())).isConsentPage)
      site.fixture.clock.advance(by: .seconds(61))
      #expect(try await attacker.signIn(page).isConsentPage)
    }
  }

  @Test("the owner of an attacked account can sign in from another address, and in a known browser even if many addresses attack")
  func victim() async throws {
    try await withSite { site in
      let home = TestBrowser(site.from("198.51.100.1"))
      #expect(try await home.complete(AuthorizeParameters()).location != nil)
      // Without the session cookie, the user must sign in again, but the browser stays known.
      home.cookies["__Host-sallyport"] = nil
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      for _ in 0..<200 { _ = try await self.guess(site, page, from: "203.0.113.9") }
      let newBrowser = TestBrowser(site.from("198.51.100.2"))
      #expect(try await newBrowser.signIn(try await newBrowser.authorize(AuthorizeParameters())).isConsentPage)

      // All unknown browsers together get at most 20 attempts at once on one account.
      var statuses: [HTTPResponse.Status: Int] = [:]
      for peer in Self.manyAddresses { statuses[try await self.guess(site, page, from: peer).status, default: 0] += 1 }
      #expect(Set(statuses.keys) == [.forbidden, .tooManyRequests] && statuses[.forbidden, default: 0] <= 20)
      let unknownBrowser = TestBrowser(site.from("198.51.100.3"))
      let form = try await unknownBrowser.authorize(AuthorizeParameters())
      #expect(try await unknownBrowser.signIn(form).status == .tooManyRequests)
      #expect(try await home.signIn(try await home.authorize(AuthorizeParameters())).isConsentPage)
      // A known browser can sign in even if the attacker has the same address.
      home.cookies["__Host-sallyport"] = nil
      for _ in 0..<20 { _ = try await self.guess(site, page, from: "198.51.100.1") }
      #expect(try await home.signIn(try await home.authorize(AuthorizeParameters())).isConsentPage)
      // The owner's sign-in does not lift the limit for other browsers. The limit ends with time.
      #expect(try await unknownBrowser.signIn(form).status == .tooManyRequests)
      site.fixture.clock.advance(by: .seconds(60))
      #expect(try await unknownBrowser.signIn(form).isConsentPage)
    }
  }

  @Test("sign-ins to accounts that do not exist are throttled like sign-ins to existing accounts, with identical responses")
  func noOracle() async throws {
    try await withSite { site in
      try await site.fixture.server.accounts.disable("bob")
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      let names = ["ada", "bob", "eve", "ivy"]
      for round in 0..<40 {
        var replies: [Reply] = []
        // The addresses change, so that the limit of the account applies too.
        for (number, name) in names.enumerated() {
          replies.append(try await self.guess(site, page, from: "203.\(number).\(round / 6).1", as: name))
        }
        let bodies = zip(replies, names).map { $0.bodyWithoutChallenge.replacing("value=\"\($1)\"", with: "value=\"name\"") }
        // Each response has its own request ID.
        let headers = replies.map { reply in reply.headers.filter { $0.name.canonicalName != "x-request-id" } }
        #expect(Set(bodies).count == 1 && Set(replies.map(\.status)).count == 1 && Set(headers).count == 1)
        site.fixture.clock.advance(by: .seconds(7))
      }
    }
  }

  @Test("the cookie of a known browser cannot be forged, or used for another account or after a password change")
  func cookie() async throws {
    try await withSite { site in
      let (ada, bob) = (TestBrowser(site), TestBrowser(site))
      _ = try await ada.complete(AuthorizeParameters())
      _ = try await bob.complete(AuthorizeParameters(), as: "bob")
      let name = "__Host-sallyport-browser"
      let (adaCookie, bobCookie) = (try #require(ada.cookies[name]), try #require(bob.cookies[name]))
      #expect(!String(decoding: try #require(Base64URL.decode(adaCookie)), as: UTF8.self).contains("ada"))
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      for peer in Self.manyAddresses.prefix(30) { _ = try await self.guess(site, page, from: peer) }
      let forged = String(adaCookie.dropLast(2)) + (adaCookie.hasSuffix("AA") ? "QQ" : "AA")
      for cookie in [bobCookie, "x", "", forged, String(repeating: "A", count: 5_000)] {
        let browser = TestBrowser(site.from("198.51.100.1"))
        browser.cookies[name] = cookie
        #expect(try await browser.signIn(page).status == .tooManyRequests)
      }
      let browser = TestBrowser(site.from("198.51.100.1"))
      browser.cookies[name] = adaCookie
      #expect(try await browser.signIn(page).isConsentPage)
      site.fixture.clock.advance(by: .seconds(1))
      try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      let formerlyKnown = TestBrowser(site.from("198.51.100.2"))
      formerlyKnown.cookies[name] = adaCookie
      #expect(try await formerlyKnown.signIn(page, password: TestServer.otherPassword).status == .tooManyRequests)
    }
  }

  @Test("a stolen cookie of a known browser allows ten guesses, and keeps its count when another user signs in with it")
  func stolenCookie() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await browser.authorize(AuthorizeParameters().with("prompt", "login"))
      for _ in 0..<10 { #expect(try await browser.signIn(page, password: Self.wrongPassword).status == .forbidden) }
      #expect(try await browser.signIn(page, password: Self.wrongPassword).status == .tooManyRequests)
      #expect(try await browser.signIn(page, as: "bob").isConsentPage)
      #expect(try await browser.signIn(page, password: Self.wrongPassword).status == .tooManyRequests)
    }
  }

  @Test("a browser stays known after a sign-out, and its cookie is Strict, HttpOnly, and Secure")
  func afterSignOut() async throws {
    try await withSite { site in
      let browser = TestBrowser(site.from("198.51.100.1"))
      let page = try await browser.authorize(AuthorizeParameters())
      let reply = try await browser.post(
        try #require(page.formAction),
        [("csrf", try #require(page.csrf)), ("username", "ada"), ("password", TestServer.password)])
      let cookie = try #require(reply.headers[values: .setCookie].first { $0.hasPrefix("__Host-sallyport-browser=") })
        .lowercased()
      for attribute in ["path=/", "httponly", "samesite=strict", "secure"] { #expect(cookie.contains(attribute)) }
      _ = try await browser.submit(try await browser.get("/sign-out"), [])
      #expect(Set(browser.cookies.keys) == ["__Host-sallyport-browser"])
      for peer in Self.manyAddresses.prefix(30) { _ = try await self.guess(site, page, from: peer) }
      #expect(try await browser.signIn(try await browser.authorize(AuthorizeParameters())).isConsentPage)
    }
  }

  @Test("sign-ins on the device page are throttled too")
  func device() async throws {
    try await withSite { site in
      let browser = TestBrowser(site.from("203.0.113.9"))
      let page = try await browser.submit(try await browser.open("/device"), [("user_code", "WDJB-MJHT")])
      #expect(page.isSignInPage)
      for _ in 0..<5 { #expect(try await browser.signIn(page, password: Self.wrongPassword).status == .forbidden) }
      let reply = try await browser.signIn(page)
      #expect(reply.status == .tooManyRequests && reply.headers[.retryAfter] == "61")
      let other = try await browser.authorize(AuthorizeParameters())
      #expect(try await browser.signIn(other).status == .tooManyRequests)
    }
  }

  @Test("behind a trusted proxy, the client's address counts, and a forged address has no effect")
  func proxies() async throws {
    try await withSite(proxies: ["10.0.0.0/8"].compactMap { AddressRange($0) }) { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      let field = try #require(HTTPField.Name("X-Forwarded-For"))
      func status(_ peer: String, _ forwarded: String) async throws -> HTTPResponse.Status {
        try await self.guess(site, page, from: peer, headers: [field: forwarded]).status
      }
      // A client behind the proxy forges a new address in front of its own each time.
      for number in 1...5 { #expect(try await status("10.0.0.1", "192.0.2.\(number), 203.0.113.9") == .forbidden) }
      #expect(try await status("10.0.0.1", "192.0.2.6, 203.0.113.9") == .tooManyRequests)
      #expect(try await status("10.0.0.2", "203.0.113.9") == .tooManyRequests)
      #expect(try await status("10.0.0.1", "203.0.113.10") == .forbidden)
      // This peer is not a proxy, so its header field is ignored.
      for number in 1...5 { #expect(try await status("198.51.100.9", "192.0.2.\(number)") == .forbidden) }
      #expect(try await status("198.51.100.9", "192.0.2.6") == .tooManyRequests)
    }
  }

  @Test(
    "passwords that the server had no time to check do not count as failures: the response is 503, and tokens can be refreshed")
  func overloaded() async throws {
    try await withSite(hasher: TestPasswordHasher(isOverloaded: true)) { site in
      let refreshToken = try await site.refreshTokenOfSession()
      let browser = TestBrowser(site.from("203.0.113.9"))
      let page = try await browser.authorize(AuthorizeParameters())
      for _ in 0..<30 {
        let reply = try await browser.signIn(page)
        #expect(reply.status == .serviceUnavailable && reply.headers[.retryAfter] == "5" && reply.isSignInPage)
      }
      #expect(try await site.refresh(refreshToken).status == .ok)
    }
  }

  @Test("S-42: one address gets at most its share of the registrations, and another address can still register")
  func registrations() async throws {
    try await withSite { site in
      var created = 0
      for _ in 0..<60 where try await site.from("203.0.113.9").register(Site.mcpClient).status == .created { created += 1 }
      // An address gets 5% of the 240 registrations per minute, and at most seven of these twelve at once.
      #expect(created == 7)
      expectRegistrationError(
        try await site.from("203.0.113.9").register(Site.mcpClient), "temporarily_unavailable", status: .tooManyRequests)
      #expect(try await site.from("198.51.100.1").register(Site.mcpClient).status == .created)
    }
  }
}
