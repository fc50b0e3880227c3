import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("The account page")
struct AccountPageTests {
  @Test("without a session, the page asks for a sign-in, and then shows the user's account")
  func signsIn() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let signIn = try await browser.open("/account")
      #expect(signIn.isSignInPage && signIn.body.contains("to manage your account"))
      #expect(try await browser.signIn(signIn, password: "wrong horse").status == .forbidden)
      let page = try await browser.signIn(signIn)
      #expect(page.isAccountPage && page.body.contains("<strong>ada</strong>") && page.body.contains("ada@example.com"))
      #expect(page.body.contains("No app has access"))
      #expect(try await browser.get("/").body.contains(#"href="/account""#))
    }
  }

  @Test(
    "S-28: pages of the account cannot be framed or cached, are isolated from windows of other sites, and post forms only to the server"
  )
  func headers() async throws {
    try await withSite(configure: { $0.allowsAccountDeletion = true }) { site in
      let browser = TestBrowser(site)
      let replies = [
        try await browser.get("/account"), try await browser.openAccount(), try await browser.get("/account/password"),
        try await browser.get("/account/delete"),
      ]
      for reply in replies {
        #expect(reply.isPage && reply.headers[.cacheControl] == "no-store")
        let policy = reply.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
        #expect(reply.isUnframeable && policy.contains("form-action 'self'"))
        #expect(reply.headers[try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))] == "same-origin")
      }
      let redirect = try await browser.postAccount("profile", [("name", "Ada")])
      #expect(redirect.status == .seeOther && redirect.headers[.cacheControl] == "no-store")
    }
  }

  @Test("S-37: the page lists the apps with access, and removing an app's access revokes its grants and its remembered consent")
  func removesAccess() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", "openid profile offline_access")
      let code = try #require(try await browser.complete(request).parameters["code"])
      let tokens = try Tokens(try await site.redeem(code, .claimedHTTPS))
      let otherAppTokens = try await site.tokens(.loopback)
      let otherUserTokens = try await site.tokens(.claimedHTTPS, as: "bob")
      site.fixture.clock.advance(by: .seconds(3600))
      let refreshed = try Tokens(try await site.refresh(tokens.refresh, .claimedHTTPS))
      // The server remembers the consent for a claimed redirect URI, so the app gets a code without a page.
      #expect(try await browser.authorize(request).parameters["code"] != nil)

      let page = try await browser.get("/account")
      #expect(page.body.contains("See your name and profile") && page.body.contains("Keep access when you are away"))
      #expect(page.body.matches(of: /value="revoke"/).count == 2)
      let reply = try await browser.postAccount("apps", [("client", "claimed"), ("action", "revoke")])
      #expect(reply.status == .seeOther)
      let after = try await browser.get(try #require(reply.location))
      #expect(after.statusText == "The app no longer has access to your account.")
      #expect(after.body.matches(of: /value="revoke"/).count == 1)

      expectTokenError(try await site.refresh(refreshed.refresh, .claimedHTTPS), "invalid_grant")
      #expect(try await site.refresh(otherAppTokens.refresh).status == .ok)
      #expect(try await site.refresh(otherUserTokens.refresh, .claimedHTTPS).status == .ok)
      #expect(try await browser.authorize(request).isConsentPage)
      let trail = try await site.trail(.accessRevoked)
      #expect(trail.map(\.client?.rawValue) == ["claimed"] && trail.first?.session != nil)
      // Pressing the button again in another tab changes nothing.
      let repeated = try await browser.postAccount("apps", [("client", "claimed"), ("action", "revoke")])
      let status = try await browser.get(try #require(repeated.location)).statusText
      #expect(status == "Nothing was changed.")
    }
  }

  @Test("S-37: a device that was approved but has not fetched its tokens gets none after the user removes the app's access")
  func removesApproval() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let device = try await site.beginDevice()
      try await browser.allow(device)
      let page = try await browser.get("/account")
      #expect(page.body.matches(of: /value="revoke"/).count == 1 && page.body.contains("You approved a device"))
      _ = try await browser.postAccount("apps", [("client", "loopback"), ("action", "revoke")])
      expectTokenError(try await site.poll(device), "invalid_grant")
    }
  }

  @Test("the page lists the signed-in browsers with their names and addresses, and signs out one of them or all others")
  func signsOutBrowsers() async throws {
    try await withSite { site in
      let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
      let browsers = (0..<3).map { TestBrowser(site.from("192.0.2.\($0 + 1)"), headers: [.userAgent: agent]) }
      for browser in browsers { try await browser.openAccount() }
      let other = TestBrowser(site)
      try await other.openAccount(as: "bob")
      let page = try await browsers[0].get("/account")
      #expect(page.body.matches(of: /Firefox on Linux<\/bdi><\/strong>/).count == 3)
      #expect(page.body.contains("from <bdi>192.0.2.2</bdi>") && page.body.matches(of: />this browser</).count == 1)
      #expect(page.endableSessionIDs.count == 2)

      let fields = [("browser", page.endableSessionIDs[0]), ("action", "sign-out")]
      let reply = try await browsers[0].postAccount("browsers", fields)
      #expect(try await browsers[0].get(try #require(reply.location)).statusText == "You were signed out in the other browser.")
      var isSignedOut: [Bool] = []
      for browser in browsers { isSignedOut.append(try await browser.get("/account").isSignInPage) }
      #expect(isSignedOut.count { $0 } == 1 && !isSignedOut[0])

      let all = try await browsers[0].postAccount("browsers", [("action", "sign-out-others")])
      #expect(try await browsers[0].get(try #require(all.location)).statusText == "You were signed out in all other browsers.")
      for browser in browsers.dropFirst() { #expect(try await browser.get("/account").isSignInPage) }
      #expect(try await browsers[0].get("/account").isAccountPage)
      #expect(try await other.get("/account").isAccountPage)
      #expect(try await site.trail(.signedOut).count == 2)
    }
  }

  @Test("signing out another browser ends its grants without offline_access and notifies their clients")
  func notifiesClients() async throws {
    let transport = FakeTransport()
    transport.on(Site.backChannelLogoutURI, respond: .text("", status: .ok))
    try await withSite(transport: transport) { site in
      try await site.registerLogoutURI(for: .web)
      let other = TestBrowser(site)
      _ = try await other.complete(AuthorizeParameters(.web).with("scope", "openid"))
      let browser = TestBrowser(site)
      try await browser.openAccount()
      _ = try await browser.postAccount("browsers", [("action", "sign-out-others")])
      #expect(try await site.deliver() == [.delivered])
      #expect(try site.fixture.revocations() == ["signedOut"])
    }
  }

  @Test("the user can change the name, but the form for the name cannot change the email address")
  func changesName() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let reply = try await browser.postAccount("profile", [("name", " Ada Lovelace "), ("email", "root@example.com")])
      let page = try await browser.get(try #require(reply.location))
      #expect(page.statusText == "Your name was changed." && page.body.contains(#"value="Ada Lovelace""#))
      let account = try #require(try await site.fixture.server.accounts.account(named: Username("ada")))
      #expect(account.name == "Ada Lovelace" && account.email == "ada@example.com")
      for invalid in ["a\u{7}b", "a\nb", String(repeating: "x", count: 257)] {
        let reply = try await browser.postAccount("profile", [("name", invalid)])
        #expect(try await browser.get(try #require(reply.location)).statusText?.hasPrefix("The name is too long") == true)
      }
      #expect(try await site.trail(.profileChanged).count == 1)
      _ = try await browser.postAccount("profile", [("name", "  ")])
      #expect(try await site.fixture.server.accounts.account(named: Username("ada"))?.name == nil)
    }
  }

  @Test("the security activity is described in sentences, and shows only events of this user and of the last 90 days")
  func activity() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      site.fixture.clock.advance(by: .seconds(91 * 86_400))
      _ = try await browser.complete(AuthorizeParameters())
      let other = TestBrowser(site.from("192.0.2.9"))
      _ = try await other.signIn(try await other.open("/account"), password: "wrong horse")
      try await other.openAccount(as: "bob")
      try await site.fixture.server.rejections.flush(isLast: true)
      let body = try await browser.get("/account").body
      let sentences = body.matches(of: /<li>\n<p>([^<]*)<\/p>/).map { String($0.1) }
      #expect(
        sentences == [
          "Someone entered a wrong password for your account.", "You allowed “\u{2068}Notes\u{2069}” to use your account.",
          "You signed in.",
        ])
      #expect(body.contains("from <bdi>192.0.2.9</bdi>"))
      // The page must not show the stored names of events.
      for code in AuditEvent.allCases.map(\.rawValue) { #expect(!body.contains(">\(code)<")) }
    }
  }

  @Test(
    "the page says for how many days it shows the security activity: 90, or as many as the operator keeps records",
    arguments: [(400, "The last 90 days"), (7, "The last 7 days"), (1, "The last day")])
  func activityPeriod(days: Int, period: String) async throws {
    try await withSite(configure: { $0.auditRetention = .seconds(days * 86_400) }) { site in
      try await TestBrowser(site).openAccount()
      // Expired records remain until they are removed, but are not shown.
      site.fixture.clock.advance(by: .seconds(min(days, 90) * 86_400 + 1))
      let page = try await TestBrowser(site).openAccount()
      #expect(page.body.contains("<summary>\(period)</summary>") && page.body.matches(of: /You signed in\./).count == 1)
    }
  }

  @Test("names of users, apps, and browsers appear as text, whatever they contain")
  func hostileText() async throws {
    try await withSite { site in
      let hostile = #"<script>alert(1)</script>"'&"#
      var client = try TestClient.claimedHTTPS.record
      client.name = hostile
      try await site.add(client)
      let browser = TestBrowser(site, headers: [.userAgent: "Firefox/1 <img src=x onerror=alert(1)>"])
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      _ = try await browser.postAccount("profile", [("name", hostile)])
      let body = try await browser.get("/account").body
      #expect(!body.contains("<script>alert") && !body.contains("<img"))
      #expect(body.contains("&lt;script&gt;alert(1)") && body.contains(#"value="&lt;script&gt;"#))
    }
  }

  @Test(
    "the data that a user downloads contains the profile, browsers, apps, and activity, but no secrets, and is sent as a file")
  func data() async throws {
    try await withSite { site in
      let browser = TestBrowser(site, headers: [.userAgent: "Firefox/140.0"])
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      let reply = try await browser.get("/account/data")
      #expect(reply.status == .ok && reply.headers[.contentType] == "application/json")
      #expect(reply.headers[.contentDisposition] == #"attachment; filename="account-data.json""#)
      #expect(reply.headers[.cacheControl] == "no-store")
      for expected in [#""username":"ada""#, #""userAgent":"Firefox/140.0""#, #""clientID":"claimed""#, #""event":"signed-in""#] {
        #expect(reply.body.contains(expected))
      }
      let account = try #require(try await site.fixture.server.accounts.account(named: Username("ada")))
      let session = try #require(browser.session)
      for secret in [account.passwordHash, TestServer.password, session] { #expect(!reply.body.contains(secret)) }
      #expect(reply.body.contains(#""passwordChangedAt":"#))
      #expect(try await TestBrowser(site).get("/account/data").location == "https://id.example/account")
    }
  }

  @Test("if a form has no page of its own, a GET request for its address leads a signed-in user to the account page")
  func formAddresses() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      for path in ["profile", "browsers", "apps", "change-password?for=page", "sign-in"] {
        #expect(try await browser.get("/account/\(path)").location == "https://id.example/account")
      }
    }
  }

  @Test("under an issuer with a path, all addresses of the account page are below the path")
  func issuerWithPath() async throws {
    try await withSite(issuer: "https://id.example/tenant", configure: { $0.allowsAccountDeletion = true }) { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.open("/tenant/account"))
      #expect(page.isAccountPage)
      let addresses = page.body.matches(of: /(?:action|href)="([^"]*)"/).map { String($0.1) }
      #expect(addresses.count > 5 && addresses.allSatisfy { $0.hasPrefix("/tenant/") })
      #expect(try await browser.get("/.well-known/change-password").location == "https://id.example/tenant/account/password")
    }
  }
}
