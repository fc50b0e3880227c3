import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Several accounts in one browser")
struct SeveralAccountsTests {
  /// A browser in which `ada` has signed in, and then `bob`.
  private func browser(_ site: Site) async throws -> TestBrowser {
    let browser = TestBrowser(site)
    try await browser.openAccount()
    try await browser.signInToAnotherAccount(as: "bob")
    site.fixture.clock.advance(by: .seconds(1))
    return browser
  }

  @Test("both accounts stay signed in, the one that signed in last is the default, and the store contains a session for each")
  func signsIn() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      #expect(try await browser.get("/account").body.contains("<bdi><strong>bob</strong></bdi>"))
      let sessions = try await site.fixture.server.sessions.all(browser.session)
      #expect(sessions.map(\.account.username.value) == ["bob", "ada"])
      #expect(sessions.allSatisfy { $0.record.endedAt == nil } && Set(sessions.map(\.record.id)).count == 2)
    }
  }

  @Test("an eleventh account ends the session that was the default least recently, and its user's activity says why")
  func elevenAccounts() async throws {
    try await withSite { site in
      let server = site.fixture.server
      var cookie: String?
      var accounts: [AccountRecord] = []
      for number in 0...10 {
        let account = try await server.accounts.add(username: "user\(number)", password: Secret(TestServer.password))
        accounts.append(account)
        site.fixture.clock.advance(by: .seconds(1))
        cookie = try #require(
          try await server.sessions.start(for: account, by: ["pwd"], replacing: cookie, from: .server)
        ).reveal()
      }
      #expect(try await server.sessions.all(cookie).map(\.account.username.value) == (1...10).reversed().map { "user\($0)" })
      let oldest = accounts[0].id
      let left = try await site.fixture.store.read { (tx) throws(StoreError) in try tx.browserSessions(of: oldest) }
      #expect(left.isEmpty)
      let ended = try await site.trail(.signedOut)
      #expect(ended.map(\.reason) == [.tooManyAccounts] && ended.map(\.account) == [accounts[0].id])
      let page = try await TestBrowser(site).openAccount(as: "user0")
      #expect(page.body.contains("too many accounts were signed in with that browser"))
      #expect(!page.body.contains("too many browsers"))
    }
  }

  @Test("without a hint, the user chooses an account with one click and continues to the app without another page")
  func oneClick() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      for name in ["ada", "bob"] {
        let page = try await browser.authorize(AuthorizeParameters(.claimedHTTPS).with("prompt", "login"))
        _ = try await browser.decide(try await browser.signIn(page, as: name), "allow")
        site.fixture.clock.advance(by: .seconds(1))
      }
      for name in ["ada", "bob"] {
        let page = try await browser.authorize(AuthorizeParameters(.claimedHTTPS))
        #expect(page.body.contains(">Remove</span>") && page.body.contains("Remove <bdi>\(name)</bdi> from this browser</span>"))
        #expect(
          page.isChooser && page.body.contains("Continue as <bdi>ada</bdi>") && page.body.contains("Continue as <bdi>bob</bdi>"))
        let code = try #require(try await browser.submit(page, [("choose", name)]).parameters["code"])
        #expect(try await site.username(redeeming: code, .claimedHTTPS) == name)
      }
    }
  }

  @Test("a native app's consent page follows the choice, and names the chosen account")
  func consent() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let page = try await browser.submit(try await browser.authorize(AuthorizeParameters()), [("choose", "ada")])
      #expect(page.isConsentPage && page.body.contains(">ada<"))
      let code = try #require(try await browser.decide(page, "allow").parameters["code"])
      #expect(try await site.username(redeeming: code) == "ada")
    }
  }

  @Test(
    "S-41: login_hint and id_token_hint select the account, even with prompt=none",
    arguments: ["ada", "ADA", "ada@example.com"])
  func hints(hint: String) async throws {
    try await withSite { site in
      _ = try await site.fixture.server.accounts.edit("ada", isEmailVerified: true)
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS)
      let first = try #require(try await browser.complete(request).parameters["code"])
      let token = try Tokens(try await site.redeem(first, .claimedHTTPS)).id
      try await browser.signInToAnotherAccount(as: "bob")
      site.fixture.clock.advance(by: .seconds(1))
      for hintedRequest in [request.with("login_hint", hint), request.with("id_token_hint", token)] {
        let code = try #require(try await browser.authorize(hintedRequest.with("prompt", "none")).parameters["code"])
        #expect(try await site.username(redeeming: code, .claimedHTTPS) == "ada")
      }
      #expect(try await browser.authorize(request.with("login_hint", "nobody")).isChooser)
    }
  }

  @Test("if several accounts have the address in login_hint, the user chooses")
  func ambiguousHint() async throws {
    try await withSite { site in
      for name in ["ada", "bob"] {
        _ = try await site.fixture.server.accounts.edit(name, email: "family@example.com", isEmailVerified: true)
      }
      let browser = try await self.browser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("login_hint", "family@example.com")
      #expect(try await browser.authorize(request).isChooser)
    }
  }

  @Test("with prompt=none, a login_hint does not tell an app without consent which of several accounts are signed in")
  func hintWithoutConsent() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("prompt", "none")
      for hint in ["ada", "carol"] {
        let hinted = request.with("login_hint", hint)
        expectErrorRedirect(try await browser.authorize(hinted), "account_selection_required", hinted)
      }
    }
  }

  @Test("S-41: prompt=none with several accounts and no hint fails with account_selection_required")
  func none() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("prompt", "none")
      try await site.expectingSameRowCounts {
        expectErrorRedirect(try await browser.authorize(request), "account_selection_required", request)
      }
    }
  }

  @Test(
    "S-41: prompt=select_account asks even if only one account is signed in, and together with login also asks for the password")
  func selectAccount() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS)
      _ = try await browser.complete(request)
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await browser.authorize(request.with("prompt", "select_account"))
      #expect(page.isChooser)
      #expect(try await browser.submit(page, [("choose", "ada")]).parameters["code"] != nil)
      let both = try await browser.authorize(request.with("prompt", "login select_account"))
      let signIn = try await browser.submit(both, [("choose", "ada")])
      #expect(both.isChooser && signIn.isSignInPage && signIn.body.contains(#"value="ada""#))
      #expect(try await browser.signIn(signIn).parameters["code"] != nil)
      #expect(try await TestBrowser(site).authorize(request.with("prompt", "select_account")).isSignInPage)
    }
  }

  @Test("\"Use another account\" leads to the sign-in page, and the request continues with the account that signs in there")
  func another() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.openAccount()
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await browser.authorize(AuthorizeParameters().with("prompt", "select_account"))
      let link = try #require(page.body.firstMatch(of: /href="([^"]*)">Use another account/)).1
      let signIn = try await browser.open(String(link))
      #expect(signIn.isSignInPage && signIn.body.contains(#"type="text" value="" "#))
      let consent = try await browser.signIn(signIn, as: "bob")
      #expect(consent.isConsentPage && consent.body.contains(">bob<"))
    }
  }

  @Test("an account that was signed out elsewhere is offered by its name, and leads to the sign-in page with the name filled in")
  func knownName() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.openAccount()
      _ = try await site.fixture.server.accounts.signOut("ada")
      let page = try await browser.authorize(AuthorizeParameters().with("prompt", "select_account"))
      #expect(page.isChooser && page.body.contains("Sign in as <bdi>ada</bdi>"))
      let signIn = try await browser.submit(page, [("choose", "ada")])
      #expect(signIn.isSignInPage && signIn.body.contains(#"value="ada""#))
      #expect(try await browser.signIn(signIn).isConsentPage)
    }
  }

  @Test("removing an account signs it out, and removes its name from the browser; the other account stays")
  func removes() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      let stolen = browser.session
      let page = try await browser.open("/account/accounts")
      let after = try await browser.submit(page, [("remove", "bob")])
      #expect(after.isChooser && !after.body.contains(">bob<") && after.body.contains("Continue as <bdi>ada</bdi>"))
      #expect(try await browser.get("/account").body.contains("<bdi><strong>ada</strong></bdi>"))
      #expect(try await site.fixture.server.sessions.all(stolen).map(\.account.username.value) == ["ada"])
      _ = try await browser.submit(try await browser.open("/account/accounts"), [("remove", "ada")])
      // The cookie `__Host-sallyport-person` contains the names of the browser's accounts.
      #expect(browser.session == nil && browser.cookies["__Host-sallyport-person"] == nil)
    }
  }

  @Test("the account page switches between accounts and signs out of all of them")
  func accountPage() async throws {
    try await withSite { site in
      let browser = try await self.browser(site)
      #expect(try await browser.get("/account").body.contains(#"href="/account/accounts">Use another account"#))
      let page = try await browser.submit(try await browser.open("/account/accounts"), [("choose", "ada")])
      #expect(page.isAccountPage && page.body.contains("<bdi><strong>ada</strong></bdi>"))
      let stolen = browser.session
      #expect(
        try await browser.submit(try await browser.open("/account/accounts"), [("sign-out", "all")]).body.contains("signed out"))
      // Only the cookie that identifies a known browser remains.
      #expect(Set(browser.cookies.keys) == ["__Host-sallyport-browser"])
      #expect(try await site.fixture.server.sessions.all(stolen).isEmpty)
    }
  }

  @Test("a sign-out that an app requests ends the session of the account in its ID token hint, and no other")
  func signOut() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let code = try #require(try await browser.complete(AuthorizeParameters(.claimedHTTPS)).parameters["code"])
      let token = try Tokens(try await site.redeem(code, .claimedHTTPS)).id
      try await browser.signInToAnotherAccount(as: "bob")
      let page = try await browser.open("/end-session?\(FormParameters.encode([("id_token_hint", token)]))")
      #expect(page.body.contains("You are signed in as <bdi><strong>ada</strong></bdi>"))
      #expect(try await browser.submit(page, []).body.contains("signed out"))
      #expect(try await site.fixture.server.sessions.all(browser.session).map(\.account.username.value) == ["bob"])
      try await browser.signInToAnotherAccount(as: "ada")
      let stolen = browser.session
      let signedOut = try await browser.submit(try await browser.open("/sign-out"), [("accounts", "all")])
      #expect(signedOut.body.contains("apps that use these accounts"))
      #expect(signedOut.body.contains("You are no longer signed in to"))
      #expect(try await site.fixture.server.sessions.all(stolen).isEmpty && browser.session == nil)
    }
  }
}

extension TestBrowser {
  /// Signs in on the account page while another account is signed in.
  func signInToAnotherAccount(as username: String) async throws {
    let page = try await self.signIn(try await self.open("/account/sign-in?for=another-account"), as: username)
    #expect(page.isAccountPage)
  }
}

extension Reply {
  var isChooser: Bool { self.isPage && self.body.contains("<h1>Choose an account</h1>") }
}

extension Site {
  /// Redeems a code, and returns the name of the user that the ID token identifies.
  func username(redeeming code: String, _ client: TestClient = .loopback) async throws -> String? {
    let id = try Tokens(try await self.redeem(code, client)).id
    let subject = AccountID(rawValue: try #require(try decodedClaims(of: id)["sub"] as? String))
    return try await self.fixture.store.read { (tx) throws(StoreError) in try tx.account(subject) }?.username.value
  }
}
