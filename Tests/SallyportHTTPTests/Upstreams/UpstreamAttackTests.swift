import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Attacks on sign-in through upstreams")
struct UpstreamAttackTests {
  /// Begins a sign-in and returns the redirect to the upstream.
  private func begin(_ upstream: FakeUpstream, _ browser: TestBrowser) async throws -> Reply {
    try await browser.begin(upstream, on: try await browser.authorize(AuthorizeParameters()))
  }

  @Test("a response is accepted once, only in the browser in which the sign-in began, and only for ten minutes")
  func stateOfAnotherBrowser() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      // Login CSRF: the attacker makes the victim's browser open the response to the attacker's own sign-in.
      let (attacker, victim) = (TestBrowser(site), TestBrowser(site))
      _ = try await self.begin(upstream, victim)
      let response = try upstream.signIn(try await self.begin(upstream, attacker))
      // The victim's browser has begun a sign-in of its own, and the other browser has not.
      for browser in [victim, TestBrowser(site)] {
        let reply = try await browser.open(response)
        #expect(reply.status == .badRequest && reply.body.contains("cannot be completed") && browser.session == nil)
      }
      #expect(upstream.transport.requests(to: upstream.tokenEndpoint).isEmpty)
      // The attempts have not consumed the attacker's own request, which works once.
      #expect(try await attacker.open(response).isConsentPage)
      #expect(try await attacker.get(response).status == .badRequest)
      #expect(upstream.transport.requests(to: upstream.tokenEndpoint).count == 1)

      let late = TestBrowser(site)
      let lateResponse = try upstream.signIn(try await self.begin(upstream, late))
      site.fixture.clock.advance(by: .seconds(601))
      #expect(try await late.get(lateResponse).status == .badRequest && late.session == nil)
    }
  }

  @Test("of 20 simultaneous requests with the same response, one redeems the code")
  func race() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = TestBrowser(site)
      let response = try upstream.signIn(try await self.begin(upstream, browser))
      let cookies = browser.cookies
      let successes = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let copy = TestBrowser(site)
            copy.cookies = cookies
            return try await copy.get(response).status == .seeOther
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(successes == 1 && upstream.transport.requests(to: upstream.tokenEndpoint).count == 1)
    }
  }

  @Test("mix-up: a response must come to the redirect URI of its upstream, and name the issuer that the upstream announces")
  func mixUp() async throws {
    try await withUpstream { site, upstream in
      let evil = try FakeUpstream("evil", on: upstream.transport, issuer: "https://evil.example")
      try await evil.register(at: site) { $0.details.accounts = .create }
      let browser = TestBrowser(site)
      let request = try await self.begin(upstream, browser)
      let response = try upstream.signIn(request)
      let moved = response.replacing("/upstream/corp/", with: "/upstream/evil/")
      #expect(try await browser.get(moved).status == .badRequest)
      for issuer in ["https://evil.example", "", nil] as [String?] {
        let changed = try upstream.signIn(try await self.begin(upstream, browser), changing: ["iss": issuer])
        let page = try await browser.get(changed)
        #expect(page.status == .forbidden && page.body.contains("could not be verified"))
      }
      for endpoint in [upstream.tokenEndpoint, evil.tokenEndpoint] {
        #expect(upstream.transport.requests(to: endpoint).isEmpty, "the code was sent to \(endpoint)")
      }
      #expect(browser.session == nil)
    }
  }

  @Test("an ID token with a wrong claim or signature signs nobody in", arguments: 0..<14)
  func invalidToken(_ row: Int) async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let now = site.fixture.clock.now.seconds
      let publicKey = try #require(Base64URL.decode(Self.text(upstream.issuer.es256.jwk["x"])))
      let rows: [(inout FakeUpstream.Behavior) -> Void] = [
        { $0.claims = ["nonce": "another"] },
        { $0.claims = ["nonce": .null] },
        { $0.claims = ["iss": "https://evil.example"] },
        { $0.claims = ["aud": "another"] },
        { $0.claims = ["aud": []] },
        { $0.claims = ["aud": ["sallyport", "another"]] },
        { $0.claims = ["azp": "another"] },
        { $0.claims = ["exp": .integer(now - 61)] },
        { $0.claims = ["iat": .integer(now + 3_600)] },
        { $0.claims = ["sub": ""] },
        { $0.claims = ["sub": "caf\u{e9}"] },
        { $0.key = .none(id: "es-1") },
        // Key confusion: an HMAC with the bytes of the public key.
        { $0.key = .hmac(secret: publicKey, id: "es-1") },
        // Another key with the ID of the upstream's key.
        { $0.key = .es256(id: "es-1") },
      ]
      upstream.change(rows[row])
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isSignInPage && page.status == .forbidden && page.body.contains("could not be verified"))
      #expect(browser.session == nil)
      // Only the two accounts of the fixture exist.
      #expect(try await site.fixture.server.accounts.list().count == 2)
    }
  }

  private static func text(_ value: JSONValue?) -> String {
    if case .string(let text) = value { text } else { "" }
  }

  @Test("an invalid, huge, or failed response of the token endpoint signs nobody in", arguments: [0, 1, 2, 3, 4])
  func invalidResponse(_ row: Int) async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let outcomes: [FakeTransport.Outcome] = [
        .success(.json("{}")), .success(.json(#"{"access_token":"a","token_type":"Bearer"}"#)),
        .success(.json(#"{"error":"invalid_grant"}"#, status: .badRequest)), .failure(.bodyTooLarge),
        .success(.json("not JSON", status: .internalServerError)),
      ]
      upstream.change { $0.response = outcomes[row] }
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isSignInPage && [.forbidden, .serviceUnavailable].contains(page.status) && browser.session == nil)
    }
  }

  @Test("an error response of the upstream leads to a page of this server, which does not show the response's text")
  func errorResponse() async throws {
    try await withUpstream { site, upstream in
      for (code, status) in [("access_denied", 403), ("server_error", 503)] {
        let browser = TestBrowser(site)
        let url = try upstream.signIn(
          try await self.begin(upstream, browser),
          changing: ["code": nil, "error": code, "error_description": "<b>call the thief</b>"])
        let page = try await browser.get(url)
        #expect(page.isSignInPage && Int(page.status.code) == status && !page.body.contains("thief"))
      }
    }
  }

  @Test("an upstream on the public internet must not name endpoints in the operator's network or without TLS")
  func privateAddress() async throws {
    for endpoint in ["https://10.0.0.1/token", "https://localhost/token", "http://login.corp.example/token"] {
      let transport = FakeTransport()
      try await withSite(operatorTransport: transport) { site in
        let upstream = try FakeUpstream(on: transport)
        try await upstream.register(at: site)
        var metadata = upstream.issuer.metadata
        metadata.tokenEndpoint = endpoint
        transport.on(upstream.issuer.configurationURL, respond: .json(encoding: metadata))
        let browser = TestBrowser(site)
        #expect(try await self.begin(upstream, browser).status == .serviceUnavailable)
      }
    }
  }

  @Test("the form requires the server's origin and its own CSRF token, and an address can begin at most 60 sign-ins per minute")
  func form() async throws {
    try await withUpstream { site, upstream in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
      let fields = [("csrf", csrf), ("upstream", "corp")]
      let foreign = try await browser.post(action, fields, headers: [.origin: "https://evil.example"])
      #expect(foreign.isWrongAddressPage)
      #expect(try await browser.post(action, [("csrf", "x"), ("upstream", "corp")]).status == .badRequest)
      #expect(try await browser.post(action, [("csrf", csrf), ("upstream", "unknown")]).status == .badRequest)
      let other = TestBrowser(site.from("203.0.113.7"))
      // 31 of the 60 sign-ins may begin at once, and then one every two seconds.
      var statuses: [Int] = []
      for _ in 0..<40 { statuses.append(Int(try await other.post(action, fields).status.code)) }
      #expect(statuses.prefix { $0 == 303 }.count == 31 && statuses.dropFirst(31).allSatisfy { $0 == 429 })
      for _ in 0..<29 {
        site.fixture.clock.advance(by: .seconds(2))
        #expect(try await other.post(action, fields).status == .seeOther)
        #expect(try await other.post(action, fields).status == .tooManyRequests)
      }
      #expect(try await browser.post(action, fields).status == .seeOther)
    }
  }

  @Test("a few addresses cannot use up the sign-ins of all users")
  func sharedQuota() async throws {
    // With this setting, all unauthenticated callers together can send, for example, only 50 pushed requests of a
    // client per minute. For sign-ins through upstreams, only the share of one address depends on the setting.
    try await withUpstream(configure: { $0.requestsPerMinute = 100 }) { site, upstream in
      var accepted = 0
      for network in 1...30 {
        let browser = TestBrowser(site.from("203.0.113.\(network)"))
        let page = try await browser.authorize(AuthorizeParameters())
        var status = try await browser.begin(upstream, on: page).status
        for _ in 0..<5 where status == .seeOther {
          accepted += 1
          status = try await browser.begin(upstream, on: page).status
        }
        #expect(status == .tooManyRequests)
      }
      #expect(accepted > 50)
    }
  }

  @Test("two factors that the upstream checked do not allow changes to the account's factors until a code is entered")
  func factorsOfUpstream() async throws {
    try await withUpstream(change: { $0.details.twoFactorContexts = ["urn:corp:mfa"] }) { site, upstream in
      let owner = TestBrowser(site)
      try await owner.openAccount()
      _ = try await owner.connect(upstream)
      var authenticator = try SoftwareAuthenticator(origin: site.issuer.origin)
      let code = try #require(try await owner.addPasskey(&authenticator).recoveryCodes.first)
      upstream.change { $0.claims = ["acr": "urn:corp:mfa"] }
      let browser = TestBrowser(site)
      #expect(try await browser.signIn(through: upstream).isConsentPage)
      let session = try #require(try await site.fixture.server.sessions.active(browser.session))
      #expect(session.record.authenticationMethods == AuthenticationContext.federatedTwoFactors)
      let removal = [("passkey", Base64URL.encode(authenticator.credentialID)), ("action", "remove-passkey")]
      for (path, fields) in [("passkey", removal), ("two-step", [("action", "new-codes")])] {
        let reply = try await browser.postAccount(path, fields)
        #expect(reply.location?.hasPrefix("https://id.example/account/sign-in?for=") == true, "\(path)")
      }
      let (account, store) = (session.account.id, site.fixture.store)
      #expect(try await store.read { (tx) throws(StoreError) in try tx.passkeys(of: account) }.count == 1)

      // To confirm a change, the user signs in again at the upstream, and then enters a code.
      upstream.change { $0.claims = ["acr": "urn:corp:mfa", "auth_time": .integer(site.fixture.clock.now.seconds)] }
      let form = try await browser.open("/account/sign-in?for=two-step")
      let codePage = try await browser.signIn(through: upstream, on: form)
      #expect(codePage.isCodePage)
      _ = try await browser.enter(code, on: codePage)
      #expect(try await browser.postAccount("two-step", [("action", "new-codes")]).recoveryCodes.count == 10)
    }
  }

  @Test("the log contains the error code or the status of a failed token request, but not the provider's description")
  func tokenErrors() async throws {
    let log = CapturedLog()
    try await withUpstream(logger: log.logger) { site, upstream in
      let body = #"{"error":"invalid_client","error_description":"details of the request"}"#
      upstream.change { $0.response = .success(.json(body, status: .unauthorized)) }
      let rejected = try await TestBrowser(site).signIn(through: upstream)
      #expect(rejected.status == .forbidden)
      #expect(log.lines.contains { $0.contains("upstream sign-in failed") && $0.contains("error=invalid_client") })
      upstream.change { $0.response = .success(.json("{}", status: .badGateway)) }
      let unavailable = try await TestBrowser(site).signIn(through: upstream)
      #expect(unavailable.status == .serviceUnavailable)
      #expect(log.lines.contains { $0.contains("upstream sign-in failed") && $0.contains("status=502") })
      #expect(!log.lines.contains { $0.contains("details of the request") })
    }
  }

  @Test("the database, the log, and the pages contain no client secret, state, nonce, code verifier, or cookie of a sign-in")
  func secrets() async throws {
    let log = CapturedLog()
    try await withUpstream(change: { $0.details.accounts = .create }, logger: log.logger) { site, upstream in
      let browser = TestBrowser(site)
      let signIn = try await browser.authorize(AuthorizeParameters())
      let request = try await browser.begin(upstream, on: signIn)
      let cookie = try #require(browser.cookies["__Host-sallyport-upstream"])
      let before = try site.fixture.contents()
      let consent = try await browser.open(try upstream.signIn(request))
      #expect(consent.isConsentPage)
      let tokenRequest = try #require(upstream.transport.requests(to: upstream.tokenEndpoint).first)
      let texts = [before, try site.fixture.contents(), signIn.body, request.body, consent.body] + log.lines
      #expect(log.lines.contains { $0.contains("route=/upstream/") })
      for secret in [
        FakeUpstream.secret, cookie, try #require(request.parameters["state"]), try #require(request.parameters["nonce"]),
        try #require(tokenRequest.form?["code_verifier"]),
      ] {
        #expect(!texts.contains { $0.contains(secret) })
      }
      let field = try #require(request.headers[values: .setCookie].first { $0.hasPrefix("__Host-sallyport-upstream=") })
      #expect(["Secure", "HttpOnly", "SameSite=Lax", "Path=/"].allSatisfy(field.contains))
    }
  }
}
