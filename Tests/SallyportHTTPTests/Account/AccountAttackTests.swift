import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Attacks on the account page")
struct AccountAttackTests {
  /// The forms of the account page, with fields that would make a change.
  static let forms: [(path: String, fields: [(name: String, value: String)])] = [
    ("profile", [("name", "Mallory")]), ("apps", [("client", "claimed"), ("action", "revoke")]),
    ("browsers", [("action", "sign-out-others")]),
    ("password", [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]),
    ("delete", [("username", "ada")]),
  ]

  /// Expects that the account of `ada` is unchanged, that the app still has access, and that the browser `other` is
  /// still signed in.
  private func expectUnchanged(_ site: Site, _ other: TestBrowser, _ message: String = "") async throws {
    let account = try await site.fixture.server.accounts.account(named: Username("ada"))
    #expect(account?.name == "Ada", "\(message)")
    #expect(try await TestPasswordHasher().hash(Secret(TestServer.password)) == account?.passwordHash, "\(message)")
    #expect(try site.fixture.revocations().isEmpty, "\(message)")
    #expect(try await other.get("/account").isAccountPage, "\(message)")
  }

  /// Runs `body` with two browsers in which `ada` is signed in. In the first browser, which the attacks target, `ada`
  /// has also signed in to the app `claimed`. The session in `other` must survive the attacks.
  private func withVictim(_ body: @Sendable (Site, TestBrowser, _ other: TestBrowser) async throws -> Void) async throws {
    try await withSite(configure: { $0.allowsAccountDeletion = true }) { site in
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      try await other.openAccount()
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      try await body(site, browser, other)
    }
  }

  /// The CSRF token of the form at this path.
  private func csrf(_ browser: TestBrowser, _ path: String) async throws -> String {
    let hasOwnPage = path == "password" || path == "delete"
    let page = try await browser.get(hasOwnPage ? "/account/\(path)" : "/account")
    return try #require(hasOwnPage ? page.csrf : page.accountCSRF)
  }

  @Test("a form that another site posts changes nothing, even with the right CSRF token")
  func crossOrigin() async throws {
    try await self.withVictim { site, browser, other in
      for (path, fields) in Self.forms {
        let csrf = try await self.csrf(browser, path)
        for headers in [[.origin: "https://evil.example"], [:], [.origin: "null"], [.secFetchSite: "cross-site"]] as [HTTPFields]
        {
          let reply = try await browser.post("/account/\(path)", [("csrf", csrf)] + fields, headers: headers)
          #expect(reply.isWrongAddressPage, "\(path)")
        }
        _ = try await browser.get("/account/\(path)?\(FormParameters.encode([("csrf", csrf)] + fields))")
        try await self.expectUnchanged(site, other, path)
      }
    }
  }

  @Test("a form changes nothing if it has no CSRF token, or the token of another session, user, or form")
  func wrongCSRFToken() async throws {
    try await self.withVictim { site, browser, other in
      let attacker = TestBrowser(site)
      try await attacker.openAccount(as: "bob")
      for (path, fields) in Self.forms {
        var wrong: [String?] = [nil, "", "x"]
        for owner in [other, attacker] { wrong.append(try await self.csrf(owner, path)) }
        // The tokens of other forms of the same session: another page of the account, and the sign-out form.
        wrong.append(try await self.csrf(browser, path == "password" ? "delete" : "password"))
        wrong.append(try await browser.get("/account").csrf)
        for token in wrong {
          _ = try await browser.post("/account/\(path)", (token.map { [("csrf", $0)] } ?? []) + fields)
          try await self.expectUnchanged(site, other, "\(path) \(token ?? "none")")
        }
      }
    }
  }

  @Test("10 minutes after the sign-in of a session, its sensitive forms change nothing and lead to a new sign-in")
  func stolenSession() async throws {
    try await self.withVictim { site, browser, other in
      var tokens: [String: String] = [:]
      for (path, _) in Self.forms { tokens[path] = try await self.csrf(browser, path) }
      site.fixture.clock.advance(by: .seconds(600))
      // Changing the name and removing an app require no recent sign-in.
      for (path, fields) in Self.forms where path != "profile" && path != "apps" {
        let csrf = try #require(tokens[path])
        let reply = try await browser.post("/account/\(path)", [("csrf", csrf)] + fields)
        #expect(reply.location?.hasPrefix("https://id.example/account/sign-in?for=") == true, "\(path)")
        let page = try await browser.get(try #require(reply.location))
        #expect(page.isSignInPage && page.body.contains("within the last 10 minutes"), "\(path)")
        try await self.expectUnchanged(site, other, path)
      }
      for path in ["password", "delete"] {
        #expect(try await browser.open("/account/\(path)").isSignInPage)
      }
      // A user who knows the password continues, and the form is shown again and not submitted.
      let signIn = try await browser.open("/account/password")
      #expect(signIn.body.contains(#"value="ada""#))
      let page = try await browser.signIn(signIn)
      #expect(page.body.contains("Choose a new password") && page.csrf != tokens["password"])
      try await self.expectUnchanged(site, other)
      // The 10 minutes start again with the repeated sign-in.
      site.fixture.clock.advance(by: .seconds(599))
      #expect(try await browser.get("/account/password").body.contains("Choose a new password"))
    }
  }

  @Test("where a user must confirm a change by signing in again, no other user can sign in")
  func otherUserConfirms() async throws {
    try await self.withVictim { site, browser, other in
      site.fixture.clock.advance(by: .seconds(601))
      let signIn = try await browser.open("/account/password")
      let before = browser.cookies
      for username in ["bob", "", "ada\u{7}", "nobody"] {
        let reply = try await browser.signIn(signIn, as: username)
        #expect(reply.status == .forbidden && reply.isSignInPage, "\(username)")
        #expect(browser.cookies == before)
      }
      #expect(try await browser.signIn(signIn, password: "wrong horse").status == .forbidden)
      #expect(try await browser.open("/account/password").isSignInPage)
      // As in any sign-in, case and surrounding spaces do not matter.
      #expect(try await browser.signIn(signIn, as: " ADA ").body.contains("Choose a new password"))
      try await self.expectUnchanged(site, other)
    }
  }

  @Test(
    "every sign-in begins a session with a new token, and a token that the browser had before never gives access to the account")
  func sessionFixation() async throws {
    try await withSite { site in
      // The attacker plants the cookie of their own session in the user's browser.
      let browser = TestBrowser(site)
      let attacker = TestBrowser(site)
      try await attacker.openAccount(as: "bob")
      browser.cookies["__Host-sallyport"] = attacker.session
      let signIn = try await TestBrowser(site).open("/account")
      _ = try await browser.signIn(signIn)
      #expect(browser.session != nil && browser.session != attacker.session)
      #expect(try await attacker.get("/account").body.contains("<strong>bob</strong>"))

      // After the user signs in again to confirm a change, the earlier cookie no longer gives access.
      let first = try #require(browser.session)
      site.fixture.clock.advance(by: .seconds(601))
      _ = try await browser.signIn(try await browser.open("/account/password"))
      #expect(browser.session != first)
      attacker.cookies["__Host-sallyport"] = first
      #expect(try await !attacker.get("/account").body.contains("<strong>ada</strong>"))
    }
  }

  @Test("a user can neither end the sessions of another user nor revoke the grants of another user")
  func otherUsersIdentifiers() async throws {
    try await self.withVictim { site, browser, other in
      let victims = try await other.get("/account").endableSessionIDs
      let attacker = TestBrowser(site)
      try await attacker.openAccount(as: "bob")
      for id in try #require(victims.isEmpty ? nil : victims) {
        let reply = try await attacker.postAccount("browsers", [("browser", id), ("action", "sign-out")])
        let status = try await attacker.get(try #require(reply.location)).statusText
        #expect(status == "Nothing was changed.")
      }
      _ = try await attacker.postAccount("apps", [("client", "claimed"), ("action", "revoke")])
      #expect(try await browser.get("/account").isAccountPage)
      try await self.expectUnchanged(site, other)
      #expect(try await site.trail(.signedOut).isEmpty)
      #expect(try await site.trail(.accessRevoked).isEmpty)
    }
  }

  @Test(
    "no parameter makes a redirect lead to another site",
    arguments: [
      "https://evil.example/", "//evil.example", "/\\evil.example", "password@evil.example", ".evil.example", "page\r\nX: y",
      "/account/password",
    ])
  func openRedirect(target: String) async throws {
    try await withSite { site in
      for parameter in ["for", "return_to", "next", "redirect_uri"] {
        let query = FormParameters.encode([(parameter, target)])
        let browser = TestBrowser(site)
        let signIn = try await browser.get("/account/sign-in?\(query)")
        #expect(signIn.formAction == "/account/sign-in?for=page")
        let csrf = try #require(signIn.csrf)
        let fields = [("csrf", csrf), ("username", "ada"), ("password", TestServer.password), (parameter, target)]
        let reply = try await browser.post("/account/sign-in?\(query)", fields)
        #expect(reply.status == .seeOther)
        #expect(reply.location == "https://id.example/account/sign-in?for=page&signed-in=true")
        #expect(try await browser.get(try #require(reply.location)).location == "https://id.example/account")
        #expect(try await browser.get("/account/sign-in?\(query)").location == "https://id.example/account")
        #expect(try await browser.get("/account?\(query)").isAccountPage)
      }
    }
  }

  @Test("a link of another site cannot make the page show a status")
  func spoofedStatus() async throws {
    try await withSite { site in
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      try await browser.openAccount()
      try await other.openAccount()
      let reply = try await other.postAccount("profile", [("name", "Ada L.")])
      let address = try #require(reply.location)
      #expect(try await other.get(address).statusText == "Your name was changed.")
      // `address` contains a token of the session in `other`, which is not valid in `browser`.
      for spoofed in [
        address, address.replacing("name-changed", with: "password-changed"), "/account?status=password-changed",
        "/account?status=<b>&token=x",
      ] {
        #expect(try await browser.get(spoofed).statusText == nil)
      }
    }
  }

  @Test("rejected sign-ins, which anyone can cause, do not hide other activity")
  func floodedActivity() async throws {
    try await withSite { site in
      let account = try #require(try await site.fixture.server.accounts.account(named: Username("ada")))
      let start = site.fixture.clock.now
      try await site.fixture.store.write { (tx) throws(StoreError) in
        try tx.insert(AuditRecord(.passkeyAdded, account: account.id, from: .command, at: start))
        for second in 1...300 {
          try tx.insert(
            AuditRecord(
              .signInRejected, .wrongPassword, account: account.id, from: .command, at: start + .seconds(Int64(second))))
        }
      }
      site.fixture.clock.advance(by: .seconds(400))
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.open("/account"))
      #expect(page.body.contains("You added a passkey."))
      // The page shows at most 50 of the 300 rejected sign-ins.
      #expect(page.body.matches(of: /Someone entered a wrong password/).count == 50)
    }
  }

  @Test("an unknown user, a wrong password, and a disabled account lead to the same page")
  func enumeration() async throws {
    try await withSite { site in
      try await site.fixture.server.accounts.disable("bob")
      var bodies: Set<String> = []
      for (username, password) in [("ada", "wrong horse"), ("nobody", "wrong horse"), ("bob", TestServer.password)] {
        let browser = TestBrowser(site)
        let reply = try await browser.signIn(try await browser.open("/account"), as: username, password: password)
        #expect(reply.status == .forbidden)
        bodies.insert(reply.bodyWithoutChallenge.replacing(#"value="\#(username)""#, with: ""))
      }
      #expect(bodies.count == 1)
    }
  }

  @Test("a failed sign-in checks one password hash, whether or not the account exists, is enabled, or has a password")
  func timing() async throws {
    let uses = TestPasswordHasher.Uses()
    try await withSite(hasher: TestPasswordHasher(uses: uses)) { site in
      try await site.fixture.server.accounts.disable("bob")
      _ = try await site.fixture.server.accountLinks.invite("carol", isMailed: false)
      let attempts = [
        ("ada", "wrong horse"), ("nobody", "wrong horse"), ("bob", "wrong horse"), ("bob", TestServer.password),
        ("carol", "wrong horse"), ("carol", AccountRecord.noPassword), ("\u{7}", "wrong horse"),
      ]
      for (username, password) in attempts {
        for path in ["/account", "/authorize?\(AuthorizeParameters().query)"] {
          let browser = TestBrowser(site)
          let page = try await browser.open(path)
          let before = uses.count
          #expect(try await browser.signIn(page, as: username, password: password).status == .forbidden)
          #expect(uses.count - before == 1, "\(username) \(path)")
          // An hour later, the limits on failed sign-ins do not reject the next attempt.
          site.fixture.clock.advance(by: .seconds(3_600))
        }
      }
    }
  }

  @Test("failed sign-ins on the account page count toward the limits of all sign-ins")
  func throttled() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let signIn = try await browser.open("/account")
      var statuses: [HTTPResponse.Status] = []
      for _ in 0..<15 { statuses.append(try await browser.signIn(signIn, password: "wrong horse").status) }
      #expect(statuses.first == .forbidden && statuses.last == .tooManyRequests)
      let other = TestBrowser(site)
      #expect(try await other.signIn(try await other.authorize(AuthorizeParameters())).status == .tooManyRequests)
    }
  }

  @Test("a form changes nothing if its session ended while the form was open")
  func endedSession() async throws {
    try await self.withVictim { site, browser, other in
      for (path, fields) in Self.forms {
        let csrf = try await self.csrf(browser, path)
        let cookies = browser.cookies
        _ = try await browser.submit(try await browser.get("/sign-out"), [])
        // The form is posted with the cookie of the session that has ended.
        browser.cookies = cookies
        let reply = try await browser.post("/account/\(path)", [("csrf", csrf)] + fields)
        #expect(reply.status == .seeOther)
        #expect(try await browser.open(try #require(reply.location)).isSignInPage)
        try await self.expectUnchanged(site, other, path)
        try await browser.openAccount()
      }
    }
  }
}
