import HTTPTypes
import SallyportServer
import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Redirect URIs that are not registered")
struct RedirectRejectionTests {
  /// URIs that match no redirect URI of the client ``TestClient/loopback``. The client has `http://127.0.0.1/cb`,
  /// `http://[::1]/cb`, and `http://127.0.0.1/cb?app=1`.
  static let loopbackNearMisses = [
    "http://127.0.0.1:51004/", "http://127.0.0.1:51004/CB", "http://127.0.0.1:51004/cb/", "http://127.0.0.1:51004/cb/x",
    "http://127.0.0.1:51004//cb", "http://127.0.0.1:51004/./cb", "http://127.0.0.1:51004/x/../cb",
    "http://127.0.0.1:51004/x/..;/cb", "http://127.0.0.1:51004/%63b", "http://127.0.0.1:51004/cb%2F",
    "http://127.0.0.1:51004/cb%00",
    "http://127.0.0.1:51004/cb;x", "http://127.0.0.1:51004/cb?", "http://127.0.0.1:51004/cb?x=1",
    "http://127.0.0.1:51004/cb?app=2", "http://127.0.0.1:51004/cb?app=1&x=1", "http://127.0.0.1:51004/cb?APP=1",
    "http://127.0.0.1:51004/cb#", "http://127.0.0.1:51004/cb#x", "http://user@127.0.0.1:51004/cb",
    "http://user:pass@127.0.0.1:51004/cb", "http://evil.example@127.0.0.1/cb", "http://127.0.0.1@evil.example/cb",
    "http://127.0.0.1:80@evil.example/cb", "http://a@b@127.0.0.1/cb", "http://127.0.0.1:51004@evil.example:80/cb",
    "http://localhost:51004/cb", "http://localhost/cb", "http://LOCALHOST/cb", "http://localhost.evil.example/cb",
    "http://127.0.0.1.evil.example/cb", "http://127.0.0.1./cb", "http://127.0.0.2/cb", "http://0.0.0.0/cb", "http://127.1/cb",
    "http://2130706433/cb", "http://0x7f000001/cb", "http://0177.0.0.1/cb", "http://127.0.0.01/cb", "http://127.000.000.001/cb",
    "http://[::ffff:127.0.0.1]/cb", "http://[0:0:0:0:0:0:0:1]/cb", "http://[::0001]/cb", "http://[::1%25lo]/cb", "http://[::]/cb",
    "http://[::1/cb", "http://::1/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:-1/cb",
    "http://127.0.0.1:080/cb", "http://127.0.0.1:/cb", "http://127.0.0.1:51004:51004/cb", "http://127.0.0.1:5x/cb",
    "HTTP://127.0.0.1:51004/cb", "https://127.0.0.1:51004/cb", "ftp://127.0.0.1:51004/cb", "//127.0.0.1:51004/cb", "/cb",
    "http:/127.0.0.1/cb", "http:127.0.0.1/cb", "http:\\\\127.0.0.1\\cb", "http://127.0.0.1\\@evil.example/cb",
    "http://127.0.0.1:51004/cb\\x", "http://127.0.0.1:51004\\cb", "http://evil.example/cb", "http://evil.example\\.127.0.0.1/cb",
    " http://127.0.0.1/cb", "http://127.0.0.1/cb ", "http://127.0.0.1/cb\n",
    "http://127.0.0.1/cb\r\nLocation: https://evil.example",
    "http://127.0.0.1\t/cb", "http://127.0.0.1/cb\u{0}", "http://127.0.0.1/c\u{62}\u{301}", "http://\u{FF11}27.0.0.1/cb",
    "http://127\u{3002}0.0.1/cb", "javascript:alert(1)//127.0.0.1/cb", "data:text/html,x", "file:///cb", "*", "http://*/cb",
    "com.example.app:/cb", "https://app.example/cb",
  ]

  /// URIs that match no redirect URI of the client ``TestClient/privateUse``. ``otherNearMisses`` names the client of
  /// each list below.
  static let privateUseNearMisses: [String] = [
    "com.example.app:/cb/", "com.example.app://cb", "com.example.app:///cb", "com.example.app:cb", "com.example.app:/CB",
    "COM.EXAMPLE.APP:/cb", "com.example.app:/cb?x", "com.example.app:/cb#x", "com.example.app.evil:/cb", "com.example:/cb",
    "com.example.app:/x/../cb", "com.example.app:/%63b", "myapp:/cb", "iris.beep:/cb",
  ]

  static let claimedNearMisses: [String] = [
    "https://app.example/cb/", "https://app.example/CB", "https://APP.example/cb", "HTTPS://app.example/cb",
    "https://app.example:443/cb", "https://app.example:8443/cb", "http://app.example/cb", "https://app.example./cb",
    "https://app.example/cb?x=1", "https://app.example/cb?", "https://app.example/cb#", "https://user@app.example/cb",
    "https://app.example@evil.example/cb", "https://app.example.evil.example/cb", "https://evil.app.example/cb",
    "https://app.example%2Eevil.example/cb", "https://app.example/cb%20", "https://app.example/x/..%2Fcb", "https://app.example",
    "https://app.example\\.evil.example/cb", "https://\u{430}pp.example/cb", "https://app.example/../cb",
  ]

  static let localhostNearMisses: [String] = [
    "http://localhost/cb", "http://localhost:8001/cb", "http://127.0.0.1:8000/cb", "http://[::1]:8000/cb",
    "http://LocalHost:8000/cb", "http://localhost:8000/cb/", "http://localhost.:8000/cb", "https://localhost:8000/cb",
  ]

  static let bothNearMisses: [String] = [
    "https://app.example:51004/cb", "http://127.0.0.1:2/cb2", "http://[::1]:2/cb", "http://localhost:2/cb",
  ]

  static let webNearMisses: [String] = ["https://web.example/cb?x", "http://web.example/cb", "http://127.0.0.1/cb"]

  static let otherNearMisses: [(TestClient, String)] = {
    let lists: [(TestClient, [String])] = [
      (.privateUse, privateUseNearMisses), (.claimedHTTPS, claimedNearMisses), (.localhost, localhostNearMisses),
      (.both, bothNearMisses), (.web, webNearMisses),
    ]
    return lists.flatMap { client, uris in uris.map { (client, $0) } }
  }()

  @Test(
    "S-06, S-08, S-28: a redirect URI that matches none of the client's loopback URIs gets an error page, not a redirect",
    arguments: loopbackNearMisses)
  func loopbackNearMiss(redirectURI: String) async throws {
    try await self.expectPage(AuthorizeParameters(.loopback, redirectURI: redirectURI))
  }

  @Test(
    "S-07, S-08, S-28: a redirect URI that matches none of the client's private-use, https, or localhost URIs gets an error page, not a redirect",
    arguments: otherNearMisses)
  func otherNearMiss(client: TestClient, redirectURI: String) async throws {
    try await self.expectPage(AuthorizeParameters(client, redirectURI: redirectURI))
  }

  @Test("S-07: if the operator allows it, a registered localhost URI matches on any port, but with no other host or path")
  func anyLocalhostPort() async throws {
    try await withSite(configure: { $0.allowsAnyLocalhostPort = true }) { site in
      let otherPort = "http://localhost:51004/cb"
      let code = try await site.code(AuthorizeParameters(.localhost, redirectURI: otherPort))
      // The token request must contain the redirect URI of the authorization request, not the registered one.
      expectTokenError(try await site.redeem(code, .localhost), "invalid_grant")
      #expect(try await site.redeem(code, .localhost, changing: ["redirect_uri": otherPort]).status == .ok)
      for wrong in ["http://127.0.0.1:8000/cb", "http://[::1]:8000/cb", "http://localhost:51004/x", "http://localhost.evil/cb"] {
        let request = AuthorizeParameters(.localhost, redirectURI: wrong)
        expectErrorPage(try await site.send(.get, "/authorize?\(request.query)"))
      }
      let otherClient = AuthorizeParameters(.loopback, redirectURI: otherPort)
      expectErrorPage(try await site.send(.get, "/authorize?\(otherClient.query)"))
    }
  }

  @Test("S-07: 'allowsAnyLocalhostPort' does not apply to a client that registered itself with a port in its localhost URI")
  func anyLocalhostPortOfDynamicClient() async throws {
    try await withSite(configure: { $0.allowsAnyLocalhostPort = true }) { site in
      let client = try await site.register(Site.mcpClient).registration.clientID
      let registered = AuthorizeParameters(redirectURI: "http://localhost:33418/cb").with("client_id", client)
      #expect(try await TestBrowser(site).authorize(registered).isSignInPage)
      let other = AuthorizeParameters(redirectURI: "http://localhost:33419/cb").with("client_id", client)
      expectErrorPage(try await TestBrowser(site).authorize(other))
    }
  }

  @Test("S-08, S-28, S-39: there is no redirect unless a request names one known client and one of its redirect URIs, each once")
  func unverified() async throws {
    let request = AuthorizeParameters()
    let cases = [
      request.with("client_id", nil), request.with("client_id", ""), request.with("client_id", "nobody"),
      request.with("redirect_uri", nil), request.with("redirect_uri", ""),
      request.repeating("client_id", "loopback"), request.repeating("client_id", "claimed"),
      request.repeating("redirect_uri", "http://127.0.0.1:51004/cb"), request.repeating("redirect_uri", "https://evil.example"),
      request.with("client_id", "LOOPBACK"),
    ]
    for request in cases { try await self.expectPage(request) }
  }

  @Test(
    "S-28: an invalid redirect URI takes precedence over other errors and prompt=none, and is also rejected in a POST request")
  func badRedirectFirst() async throws {
    let unregistered = AuthorizeParameters(redirectURI: "https://evil.example/cb")
    for request in [
      unregistered.with("response_type", "token"), unregistered.with("prompt", "none"), unregistered.with("code_challenge", nil),
    ] {
      try await self.expectPage(request)
    }
    try await withSite { site in
      let browser = TestBrowser(site)
      expectErrorPage(try await browser.post("/authorize", unregistered.list))
    }
  }

  /// Expects that a signed-in user gets an error page for the request, and that nothing is stored.
  private func expectPage(_ request: AuthorizeParameters) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      try await site.expectingSameRowCounts {
        let reply = try await browser.get("/authorize?\(request.query)")
        expectErrorPage(reply)
        #expect(!reply.body.contains("evil.example"))
      }
    }
  }
}
