import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("RP-initiated logout, and what a browser remembers")
struct LogoutTests {
  static let returnURI = "https://web.example/bye"

  /// Signs in to the client `web`, whose name is `Notes`, with a new browser. The tests send the ID token as the
  /// `id_token_hint`.
  private func prepare(_ site: Site) async throws -> (browser: TestBrowser, idToken: String) {
    var client = try TestClient.web.record
    client.details.postLogoutRedirectURIs = [Self.returnURI]
    try await site.add(client)
    let browser = TestBrowser(site)
    let code = try #require(try await browser.complete(AuthorizeParameters(.web)).parameters["code"])
    return (browser, try Tokens(try await site.redeem(code, .web)).id)
  }

  /// Returns the URL of a logout request.
  private func logoutURL(_ fields: [(name: String, value: String)]) -> String { "/end-session?" + FormParameters.encode(fields) }

  @Test("the user is asked to confirm, and returns to the registered address with the request's state")
  func wholeWay() async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      let page = try await browser.open(
        self.logoutURL([("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI), ("state", "s&1")]))
      #expect(page.isPage && page.body.contains("Notes"))
      #expect(try await browser.authorize(AuthorizeParameters(.web)).isSignInPage == false)
      let response = try await browser.submit(page, [])
      #expect(response.location == "https://web.example/bye?state=s%261")
      #expect(try await browser.authorize(AuthorizeParameters(.web)).isSignInPage)
      // No user is signed in, and an operator registered the address, so the redirect is immediate.
      let signedOut = try await browser.open(
        self.logoutURL([("client_id", "web"), ("post_logout_redirect_uri", Self.returnURI)]))
      #expect(signedOut.location == Self.returnURI)
    }
  }

  @Test("S-28: a request by POST continues at a URL that does not reveal the hint or another value of the request")
  func byPost() async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      let fields = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI), ("state", "a-state-of-the-app")]
      // A form on another site is posted with neither the server's origin nor the session cookie.
      let reply = try await TestBrowser(site).post("/end-session", fields, headers: [:])
      let location = try #require(reply.location)
      #expect(reply.status == .seeOther && location.hasPrefix("https://id.example/sign-out?r="))
      for part in hint.split(separator: ".").map(String.init) + ["web.example", "a-state-of-the-app"] {
        #expect(!location.contains(part))
      }
      let page = try await browser.open(location)
      #expect(page.isPage && page.body.contains("Notes"))
      #expect(try await browser.submit(page, []).location == Self.returnURI + "?state=a-state-of-the-app")
    }
  }

  @Test("S-28: an invalid request by POST does not redirect and ends no session")
  func invalidPost() async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      for fields in [
        [("post_logout_redirect_uri", Self.returnURI)], [("id_token_hint", hint + "x")], [("client_id", "nobody")],
        [("id_token_hint", hint), ("post_logout_redirect_uri", "https://evil.example")],
      ] {
        expectErrorPage(try await browser.post("/end-session", fields, headers: [:]))
      }
      #expect(try await browser.authorize(AuthorizeParameters(.web)).isSignInPage == false)
    }
  }

  @Test(
    "an expired ID token still identifies the app (mod_auth_openidc keeps the first ID token, and sends no client_id)"
  )
  func expiredHint() async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      site.fixture.clock.advance(by: .seconds(8 * 3600))
      let page = try await browser.open(self.logoutURL([("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI)]))
      #expect(page.isPage && page.body.contains("Notes"))
      #expect(try await browser.submit(page, []).location == Self.returnURI)
    }
  }

  @Test(
    """
    an ID token still identifies the app after a normal key rotation, for as long as browser sessions can last, but not after \
    an emergency rotation
    """,
    arguments: [false, true])
  func hintOfFormerKey(leaked: Bool) async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      let clock = site.fixture.clock
      let management = KeyManagement(store: site.fixture.store, masterKey: site.fixture.masterKey, now: clock.source)
      let keysAfterRotation = Set(try await management.rotate().map(\.id))
      clock.advance(by: .seconds(8 * 3600))
      _ = try await site.fixture.store.removeExpired(before: clock.now, limit: 100)
      // The former key is no longer published, but the server keeps it to verify ID token hints.
      #expect(Set(try await management.list().map(\.id)) == keysAfterRotation)
      if leaked { _ = try await management.rotate(immediately: true) }
      clock.advance(by: .seconds(1))
      let page = try await browser.open(self.logoutURL([("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI)]))
      if leaked { return expectErrorPage(page) }
      #expect(try await browser.submit(page, []).location == Self.returnURI)
      // Browser sessions last for at most 90 days.
      clock.advance(by: .seconds(91 * 86_400))
      expectErrorPage(try await browser.open(self.logoutURL([("id_token_hint", hint)])))
    }
  }

  @Test(
    "RP-Initiated Logout §2: if the hint is for another user, the page says so, and the current session ends only if its user agrees",
    arguments: [true, false])
  func hintForAnotherUser(agrees: Bool) async throws {
    try await withSite { site in
      let (firstBrowser, hint) = try await self.prepare(site)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(), as: "bob")
      let request = self.logoutURL([("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI), ("state", "s")])
      let page = try await browser.open(request)
      #expect(page.isPage && page.location == nil && page.body.contains("a different account"))
      #expect(page.body.contains(">bob<") && !page.body.contains(">ada<"))
      // A form that was rejected leads to the same question.
      let rejected = try await browser.post(try #require(page.formAction), [("csrf", "x")])
      #expect(rejected.body.contains("a different account"))
      guard agrees else { return #expect(try await !browser.authorize(AuthorizeParameters()).isSignInPage) }
      #expect(try await browser.submit(page, []).location == Self.returnURI + "?state=s")
      #expect(try await browser.authorize(AuthorizeParameters()).isSignInPage)
      #expect(try await !firstBrowser.authorize(AuthorizeParameters(.web)).isSignInPage)
    }
  }

  @Test(
    "RP-Initiated Logout §2: the page says if the hint is for another session of the user, and only this browser's session ends",
    arguments: ["another browser", "an earlier sign-in", "the same session after prompt=login"])
  func hintOfAnotherSession(kind: String) async throws {
    try await withSite { site in
      let (firstBrowser, hint) = try await self.prepare(site)
      let browser = kind == "another browser" ? TestBrowser(site) : firstBrowser
      if kind == "an earlier sign-in" { _ = try await browser.submit(try await browser.open("/end-session"), []) }
      let request = AuthorizeParameters().with("prompt", kind == "the same session after prompt=login" ? "login" : nil)
      _ = try await browser.complete(request)
      let page = try await browser.open(self.logoutURL([("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI)]))
      #expect(page.body.contains("a different sign-in of yours") == (kind != "the same session after prompt=login"))
      #expect(!page.body.contains("a different account"))
      #expect(try await browser.submit(page, []).location == Self.returnURI)
      #expect(try await browser.authorize(AuthorizeParameters()).isSignInPage)
      // In the other cases, both browsers are the same.
      #expect(try await firstBrowser.authorize(AuthorizeParameters(.web)).isSignInPage == (kind != "another browser"))
    }
  }

  @Test("a signed userinfo response is not accepted as an id_token_hint")
  func userinfoAsHint() async throws {
    try await withSite { site in
      let signer = try #require(try await site.fixture.server.cache.keyRing().signer(.es256, at: site.fixture.clock.now))
      let claims = ["iss": "https://id.example", "sub": "ada", "aud": "web"]
      // The server signs userinfo responses with the same key and `typ` as ID tokens, but they have no `exp` and `iat`.
      let response = try signer.sign(claims, as: .idToken).reveal()
      expectErrorPage(try await TestBrowser(site).open(self.logoutURL([("id_token_hint", response)])))
    }
  }

  @Test("S-28: an invalid request does not redirect and ends no session")
  func rejections() async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      let wrong: [[(name: String, value: String)]] = [
        [("post_logout_redirect_uri", Self.returnURI)],
        [("client_id", "web"), ("post_logout_redirect_uri", Self.returnURI + "/")],
        [("client_id", "web"), ("post_logout_redirect_uri", "https://evil.example")],
        [("client_id", "claimed"), ("post_logout_redirect_uri", Self.returnURI)],
        [("client_id", "claimed"), ("id_token_hint", hint)], [("client_id", "nobody")], [("id_token_hint", "x")],
        [("id_token_hint", hint + "x"), ("post_logout_redirect_uri", Self.returnURI)],
        [("client_id", "web"), ("client_id", "web")],
      ]
      for fields in wrong { expectErrorPage(try await browser.open(self.logoutURL(fields))) }
      let page = try await browser.open(self.logoutURL([]))
      let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
      _ = try await browser.post(action, [("csrf", csrf)], headers: [.origin: "https://evil.example"])
      _ = try await browser.post(action, [("csrf", "x")])
      #expect(try await browser.authorize(AuthorizeParameters(.web)).isSignInPage == false)
    }
  }

  @Test("the confirmation page of a sign-out expires after 30 minutes, and its form then ends no session")
  func expiredConfirmation() async throws {
    try await withSite { site in
      let (browser, hint) = try await self.prepare(site)
      let request = self.logoutURL([("id_token_hint", hint), ("post_logout_redirect_uri", Self.returnURI)])
      let page = try await browser.open(request)
      site.fixture.clock.advance(by: .seconds(30 * 60))
      expectErrorPage(try await browser.submit(page, []))
      expectErrorPage(try await browser.open(try #require(page.formAction)))
      #expect(try await browser.authorize(AuthorizeParameters(.web)).isSignInPage == false)
      #expect(try await browser.submit(try await browser.open(request), []).location == Self.returnURI)
    }
  }

  @Test("the user returns to a registered loopback address on any port, but to no other address")
  func loopback() async throws {
    try await withSite { site in
      var client = try TestClient.web.record
      client.details.postLogoutRedirectURIs = ["http://127.0.0.1/bye"]
      try await site.add(client)
      let browser = TestBrowser(site)
      for port in ["", ":1", ":49152"] {
        let uri = "http://127.0.0.1\(port)/bye"
        let reply = try await browser.open(
          self.logoutURL([("client_id", "web"), ("post_logout_redirect_uri", uri), ("state", "s")]))
        #expect(reply.location == "\(uri)?state=s")
      }
      for uri in [
        "http://127.0.0.1:49152/", "http://[::1]:49152/bye", "http://localhost:49152/bye", "https://127.0.0.1:49152/bye",
        "http://127.0.0.1:49152/bye?x=1", "http://127.0.0.1.evil.example:49152/bye", "http://127.0.0.1:49152@evil.example/bye",
      ] {
        expectErrorPage(try await browser.open(self.logoutURL([("client_id", "web"), ("post_logout_redirect_uri", uri)])))
      }
    }
  }

  @Test(
    """
    RFC 8252 §7.3: the conditions under which a localhost address matches any port are the same after a sign-out as after a \
    sign-in: the operator allows any port, or a self-registered client has registered the address without a port
    """,
    arguments: [
      (TestClient.web, true, "http://localhost:1/bye", true), (.web, false, "http://localhost:1/bye", false),
      (.dynamic, false, "http://localhost/bye", true), (.dynamic, true, "http://localhost:1/bye", false),
    ])
  func localhost(kind: TestClient, allowsAnyPort: Bool, registered: String, matches: Bool) async throws {
    try await withSite(configure: { $0.allowsAnyLocalhostPort = allowsAnyPort }) { site in
      var client = try kind.record
      client.details.postLogoutRedirectURIs = [registered]
      try await site.add(client)
      let reply = try await TestBrowser(site).open(
        self.logoutURL([("client_id", kind.rawValue), ("post_logout_redirect_uri", "http://localhost:49152/bye")]))
      #expect((reply.status.kind != .clientError) == matches)
      let other = "http://localhost:49152/other"
      expectErrorPage(
        try await TestBrowser(site).open(self.logoutURL([("client_id", kind.rawValue), ("post_logout_redirect_uri", other)])))
    }
  }

  @Test("S-31: a redirect to the address of a self-registered client requires a click")
  func selfRegisteredAddress() async throws {
    try await withSite { site in
      var client = try TestClient.dynamic.record
      client.details.postLogoutRedirectURIs = ["https://self.example/bye"]
      try await site.add(client)
      let reply = try await TestBrowser(site).open(
        self.logoutURL([("client_id", "dynamic"), ("post_logout_redirect_uri", "https://self.example/bye")]))
      #expect(reply.isPage && reply.location == nil)
    }
  }

  @Test("S-18: the sign-in page shows a returning user's name in the same browser, until the user signs out")
  func returningUser() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      site.fixture.clock.advance(by: .seconds(1))
      let signIn = try await browser.authorize(AuthorizeParameters().with("prompt", "login"))
      #expect(signIn.isSignInPage && signIn.body.contains(#"value="ada""#))
      let otherBrowserPage = try await TestBrowser(site).authorize(AuthorizeParameters())
      #expect(!otherBrowserPage.body.contains(#"value="ada""#))
      _ = try await browser.submit(try await browser.open("/end-session"), [])
      let after = try await browser.authorize(AuthorizeParameters())
      #expect(after.isSignInPage && !after.body.contains(#"value="ada""#))
    }
  }
}
