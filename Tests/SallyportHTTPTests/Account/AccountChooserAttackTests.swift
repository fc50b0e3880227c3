import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Attacks on browsers with several accounts")
struct AccountChooserAttackTests {
  /// Returns a browser with sessions of ada and bob.
  private func browser(_ site: Site) async throws -> TestBrowser {
    let browser = TestBrowser(site)
    try await browser.openAccount()
    try await browser.signInToAnotherAccount(as: "bob")
    site.fixture.clock.advance(by: .seconds(1))
    return browser
  }

  /// The name and value of the form field that chooses an account, removes it, or signs out.
  private static let actions: [(String, String)] = [("choose", "ada"), ("remove", "ada"), ("remove", "bob"), ("sign-out", "all")]

  @Test(
    "a form changes nothing if another site posted it, or if its CSRF token is missing or belongs to another browser",
    arguments: [[.origin: "https://evil.example"], [.origin: "null"], [:]] as [HTTPFields])
  func csrf(headers: HTTPFields) async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let pages = ["/account/accounts", try #require(try await browser.authorize(AuthorizeParameters()).formAction)]
      let other = try await self.browser(site)
      for page in pages {
        let own = try #require(try await browser.open(page).csrf)
        let foreign = try #require(try await other.open(page).csrf)
        let cookies = browser.cookies
        for action in Self.actions {
          for csrf in [foreign, "", "x"] { _ = try await browser.post(page, [("csrf", csrf), action]) }
          _ = try await browser.post(page, [action])
          _ = try await browser.post(page, [("csrf", own), action], headers: headers)
          _ = try await browser.get("\(page)\(page.contains("?") ? "&" : "?")csrf=\(own)&\(action.0)=\(action.1)")
          #expect(browser.cookies == cookies)
        }
      }
      #expect(try await site.fixture.server.sessions.all(browser.session).count == 2)
    }
  }

  @Test("S-28: the pages with the choice of accounts cannot be framed, and are not stored")
  func framing() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let pages = [try await browser.open("/account/accounts"), try await browser.authorize(AuthorizeParameters())]
      for page in pages {
        #expect(page.isChooser && page.headers[.cacheControl] == "no-store" && page.isUnframeable)
      }
    }
  }

  @Test("an account that the browser does not have cannot be chosen, and the response does not reveal whether it exists")
  func enumeration() async throws {
    try await withSite { site in
      _ = try await site.fixture.server.accounts.add(username: "carol", password: Secret(TestServer.password))
      let browser = try await self.browser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      for field in ["choose", "remove"] {
        var responses: Set<String> = []
        for name in ["carol", "nobody", "", "ada\nbob"] {
          let reply = try await browser.post(
            try #require(page.formAction), [("csrf", try #require(page.csrf)), (field, name)])
          // The sealed interaction in the address is different each time, but has the same length.
          let location = try #require(reply.location)
          responses.insert("\(reply.status) \(location.prefix { $0 != "?" }) \(location.count)")
        }
        #expect(responses.count == 1)
      }
      #expect(try await browser.open("/account/accounts").body.matches(of: /name="choose"/).count == 2)
    }
  }

  @Test("a stolen session of one account does not give access to the other account")
  func stolenSession() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let tokens = try #require(browser.session).split(separator: ".").map(String.init)
      #expect(tokens.count == 2)
      let thief = TestBrowser(site)
      thief.cookies["__Host-sallyport"] = tokens[0]
      let page = try await thief.open("/account/accounts")
      #expect(page.body.contains(">bob<") && !page.body.contains(">ada<"))
      for field in ["choose", "remove"] { _ = try await thief.submit(page, [(field, "ada")]) }
      #expect(try await thief.get("/account").body.contains("<bdi><strong>bob</strong></bdi>"))
      #expect(try await site.fixture.server.sessions.all(browser.session).count == 2)
    }
  }

  @Test("a sign-in never keeps a token that the browser had before, for the same account or another one")
  func fixation() async throws {
    try await withSite { site in
      let attacker = TestBrowser(site)
      try await attacker.openAccount(as: "bob")
      let planted = try #require(attacker.session)
      let victim = TestBrowser(site)
      victim.cookies["__Host-sallyport"] = planted
      try await victim.signInToAnotherAccount(as: "ada")
      let names = try await site.fixture.server.sessions.all(attacker.session).map(\.account.username.value)
      #expect(names == ["bob"])
      #expect(try #require(victim.session).hasPrefix(planted) == false)
      try await victim.signInToAnotherAccount(as: "bob")
      #expect(try await site.fixture.server.sessions.active(planted) == nil)
    }
  }

  @Test(
    "after a sign-in in another window, a stale choice or consent form is not accepted; after a removal, the user must choose"
  )
  func staleForms() async throws {
    try await withSite { site in
      _ = try await site.fixture.server.accounts.add(username: "carol", password: Secret(TestServer.password))
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS)
      for name in ["carol", "bob", "ada"] {
        let page = try await browser.signIn(try await browser.authorize(request.with("prompt", "login")), as: name)
        #expect(try await browser.decide(page, "allow").parameters["code"] != nil)
        site.fixture.clock.advance(by: .seconds(1))
      }
      let chooser = try await browser.authorize(request)
      let consent = try await browser.submit(
        try await browser.authorize(request.with("prompt", "consent")), [("choose", "ada")])
      #expect(chooser.isChooser && consent.isConsentPage)
      // The user signs in as carol in another window.
      try await browser.signInToAnotherAccount(as: "carol")
      #expect(try await browser.submit(chooser, [("choose", "ada")]).isChooser)
      #expect(try await browser.open("/interaction?i=\(try #require(chooser.sealedInteraction))").isChooser)
      let page = try await browser.authorize(request)
      #expect(try await browser.submit(page, [("remove", "bob")]).isChooser)
      #expect(try await browser.submit(try await browser.authorize(request), [("remove", "ada")]).isChooser)
      // The form for ada does not decide for carol, who is asked instead.
      let allowed = try await browser.decide(consent, "allow")
      #expect(allowed.isConsentPage && allowed.body.contains("carol") && !allowed.body.contains("ada"))
    }
  }

  @Test("only the first ten tokens of a cookie are read, made-up tokens are ignored, and each account appears once")
  func longCookies() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let session = try #require(browser.session)
      let madeUp = Array(repeating: "slp_bs_x", count: 9).joined(separator: ".")
      let sessions = site.fixture.server.sessions
      #expect(try await sessions.all("\(session).\(session).\(session)").count == 2)
      #expect(try await sessions.all("\(madeUp).\(session)").count == 1)
      #expect(try await sessions.all("\(madeUp).x.\(session)").isEmpty)
      #expect(try await sessions.all(String(repeating: ".", count: 4_000) + session).isEmpty)
    }
  }

  @Test("an interaction with a chosen account signs no one in if the browser has no session of that account")
  func otherBrowser() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let reply = try await browser.post(
        try #require(page.formAction), [("csrf", try #require(page.csrf)), ("choose", "ada")])
      let address = try #require(reply.location)
      #expect(try await TestBrowser(site).open(address).isSignInPage)
      let other = TestBrowser(site)
      try await other.openAccount(as: "bob")
      let consent = try await other.open(address)
      #expect(consent.isConsentPage && consent.body.contains(">bob<") && !consent.body.contains(">ada<"))
    }
  }
}
