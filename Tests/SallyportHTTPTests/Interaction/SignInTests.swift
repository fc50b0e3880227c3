import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Signing in")
struct SignInTests {
  @Test(
    "a wrong password, an unknown user name, and a disabled account cause the same error",
    arguments: [
      ("ada", "wrong"), ("ada", ""), ("", TestServer.password), ("nobody", TestServer.password), ("bob", TestServer.password),
      ("ada", "Correct horse battery staple"), ("ada", TestServer.password + " "),
      ("ada", String(repeating: "x", count: 5000)),
    ])
  func rejected(username: String, password: String) async throws {
    try await withSite { site in
      try await site.fixture.server.accounts.disable("bob")
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      // The failure is counted in the table of attempts.
      try await site.expectingSameRowCounts(except: "attempt") {
        let reply = try await browser.signIn(page, as: username, password: password)
        #expect(reply.isSignInPage)
        #expect(reply.status == .forbidden)
        #expect(reply.body.contains("The user name or password is incorrect."))
        #expect(!reply.body.contains(password) || password.isEmpty)
        #expect(browser.cookies.isEmpty)
      }
      #expect(try await browser.signIn(page).isConsentPage)
    }
  }

  @Test("a user whose browser keeps no cookies sees a message after the sign-in, for an app, a device, and the account page")
  func withoutCookies() async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      for path in ["/authorize?\(AuthorizeParameters().query)", device.verificationURI, "/account"] {
        let browser = TestBrowser(site)
        func cookieless(_ reply: Reply) async throws -> Reply {
          var reply = reply
          for _ in 0..<5 {
            browser.cookies = [:]
            guard let location = reply.location else { break }
            reply = try await browser.get(location)
          }
          return reply
        }
        func signIn(_ page: Reply) async throws -> Reply {
          let fields = [("csrf", try #require(page.csrf)), ("username", "ada"), ("password", TestServer.password)]
          return try await cookieless(try await browser.post(try #require(page.formAction), fields))
        }
        var page = try await cookieless(try await browser.get(path))
        if path == device.verificationURI {
          let fields = [("csrf", try #require(page.csrf)), ("user_code", device.userCode)]
          page = try await cookieless(try await browser.post("/device", fields))
        }
        let message = "Your browser did not keep you signed in. Allow cookies for this site, and sign in again."
        #expect(page.isSignInPage && !page.body.contains(message), "\(path)")
        for _ in 0..<2 {
          page = try await signIn(page)
          #expect(page.isSignInPage && page.status == .ok && page.body.contains(message), "\(path)")
        }
        // With cookies, the same page leads to the next one.
        let next = try await browser.signIn(page)
        #expect(path == "/account" ? next.isAccountPage : next.isConsentPage, "\(path)")
      }
    }
  }

  @Test("a user name is compared without regard to case and surrounding spaces")
  func usernameFolding() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let next = try await browser.signIn(page, as: " ADA ")
      #expect(next.isConsentPage)
    }
  }

  @Test("if too many passwords are being checked, the response is 503 with the sign-in page, and no one is signed in")
  func overloaded() async throws {
    try await withSite(hasher: TestPasswordHasher(isOverloaded: true)) { site in
      let browser = TestBrowser(site)
      let reply = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      #expect(reply.isSignInPage && reply.status == .serviceUnavailable)
      #expect(browser.cookies.isEmpty)
    }
  }

  @Test("a sign-in creates a new session, so a planted session gives access only to the attacker's own account")
  func sessionFixation() async throws {
    try await withSite { site in
      let attacker = TestBrowser(site)
      _ = try await attacker.signIn(try await attacker.authorize(AuthorizeParameters()), as: "bob")
      let planted = attacker.cookies
      let victim = TestBrowser(site)
      victim.cookies = planted
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await victim.authorize(AuthorizeParameters().with("prompt", "login"))
      #expect(try await victim.signIn(page).isConsentPage)
      #expect(victim.cookies != planted)
      let account = try await attacker.open("/account")
      #expect(account.body.contains("bob") && !account.body.contains("ada"))
      #expect(try await victim.open("/account").body.contains("ada"))
    }
  }

  @Test("a sign-in fails if the password changes while the old password is being checked")
  func passwordChangedMeanwhile() async throws {
    let (gate, reached) = (Gate(), Gate())
    try await withSite(hasher: TestPasswordHasher(gate: gate, reached: reached)) { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
      async let reply = TestBrowser(site).post(
        action, [("csrf", csrf), ("username", "ada"), ("password", TestServer.password)])
      await reached.wait()
      site.fixture.clock.advance(by: .seconds(1))
      try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      gate.open()
      #expect(try await reply.isSignInPage)
      #expect(try site.fixture.rows()["browser_session"] == 0)
    }
  }

  @Test("a session expires when idle and at its maximum age, and its cookie is not stored in plain text")
  func sessionEnds() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      let cookie = try #require(browser.cookies["__Host-sallyport"])
      #expect(cookie.hasPrefix("slp_bs_"))
      #expect(try !site.fixture.contents().contains(cookie))
      // A session ends after 14 days without use, and 90 days after the sign-in. A new `TestClock` shows the time of
      // the sign-in.
      for _ in 0..<7 {
        site.fixture.clock.advance(by: .seconds(13 * 86_400))
        let expected = site.fixture.clock.now < TestClock().now + .seconds(90 * 86_400)
        #expect(try await browser.authorize(AuthorizeParameters()).isConsentPage == expected)
      }
      let idle = TestBrowser(site)
      _ = try await idle.complete(AuthorizeParameters())
      site.fixture.clock.advance(by: .seconds(14 * 86_400))
      #expect(try await idle.authorize(AuthorizeParameters()).isSignInPage)
    }
  }

  @Test("a session that is used does not end, even if the operator lets sessions end after a few minutes without use")
  func shortIdleTime() async throws {
    try await withSite(configure: { $0.lifetimes.browserSessionIdle = .seconds(600) }) { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      for _ in 0..<6 {
        site.fixture.clock.advance(by: .seconds(300))
        #expect(try await browser.authorize(AuthorizeParameters()).isConsentPage)
      }
      site.fixture.clock.advance(by: .seconds(600))
      #expect(try await browser.authorize(AuthorizeParameters()).isSignInPage)
    }
  }

  @Test(
    "sign-in and sign-out set and delete only cookies that are HttpOnly and SameSite, and with https also Secure with the __Host- prefix",
    arguments: ["https://id.example", "http://localhost:8080"])
  func cookieAttributes(issuer: String) async throws {
    try await withSite(issuer: issuer) { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let signedIn = try await browser.post(
        try #require(page.formAction),
        [("csrf", try #require(page.csrf)), ("username", "ada"), ("password", TestServer.password)])
      let signedOut = try await browser.submit(try await browser.get("/sign-out"), [])
      let prefix = issuer.hasPrefix("https") ? "__Host-sallyport" : "sallyport"
      let (setCookies, clearedCookies) = (signedIn.headers[values: .setCookie], signedOut.headers[values: .setCookie])
      #expect(Set(setCookies.map(Self.name)) == [prefix, "\(prefix)-person", "\(prefix)-browser"])
      #expect(Set(clearedCookies.map(Self.name)) == [prefix, "\(prefix)-person"])
      for cookie in setCookies + clearedCookies {
        let attributes = Set(cookie.split(separator: ";").dropFirst().map { $0.trimmingPrefix(" ").lowercased() })
        let sameSite = Self.name(cookie).hasSuffix("-browser") ? "samesite=strict" : "samesite=lax"
        #expect(attributes.isSuperset(of: ["path=/", "httponly", sameSite]), "\(cookie)")
        #expect(attributes.contains("secure") == issuer.hasPrefix("https"), "\(cookie)")
        #expect(!attributes.contains { $0.hasPrefix("domain") }, "\(cookie)")
      }
    }
  }

  private static func name(_ cookie: String) -> String { String(cookie.prefix { $0 != "=" }) }

  @Test("a login hint fills in the user name and is escaped")
  func loginHint() async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters().with("login_hint", #""><script>x"#))
      #expect(page.body.contains(#"value="&quot;&gt;&lt;script&gt;x""#))
      #expect(!page.body.contains("<script>x"))
    }
  }

  @Test(
    "a form that is too large, not UTF-8, or malformed is rejected",
    arguments: [
      "/interaction/sign-in", "/interaction/consent", "/authorize",
    ])
  func hostileBodies(path: String) async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      let uri = "\(path)?i=\(try #require(page.sealedInteraction))"
      let headers: HTTPFields = [.origin: "https://id.example"]
      try await site.expectingSameRowCounts {
        let large = try await site.send(.post, uri, headers: headers, body: [UInt8](repeating: 0x61, count: 70_000))
        expectErrorPage(large, status: .contentTooLarge)
        #expect(large.body.contains("The request contains more data than this server accepts."))
        expectErrorPage(try await site.send(.post, uri, headers: headers, body: [0x61, 0xFF, 0xFE]))
        // `RequestErrorTests` tests malformed forms at this path.
        if path == "/authorize" { return }
        expectErrorPage(try await site.send(.post, uri, headers: headers, body: Array("csrf=1&csrf=2%".utf8)))
      }
    }
  }
}
