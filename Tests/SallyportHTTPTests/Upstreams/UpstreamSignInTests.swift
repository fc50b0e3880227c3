import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Sign-in through upstreams")
struct UpstreamSignInTests {
  @Test("S-24: a user signs in through an upstream OpenID provider, gets an account, and comes back to the same account")
  func createsAccount() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      upstream.change { $0.claims = ["preferred_username": "Grace@corp.example", "name": "Grace", "email": "g@corp.example"] }
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      #expect(page.body.contains(#"name="upstream" value="corp""#) && page.body.contains("Corp Login"))
      let request = try await browser.begin(upstream, on: page)
      #expect(request.parameters["redirect_uri"] == "https://id.example/upstream/corp/callback")
      #expect(request.parameters["response_type"] == "code" && request.parameters["code_challenge_method"] == "S256")
      #expect(request.parameters["client_id"] == FakeUpstream.clientID && request.parameters["scope"] == "openid profile email")
      let consent = try await browser.open(try upstream.signIn(request))
      #expect(consent.isConsentPage && consent.body.contains("grace"))
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let claims = try decodedClaims(of: try Tokens(try await site.redeem(code)).id)
      #expect(claims["acr"] as? String == "1" && claims["amr"] == nil)

      let secondBrowser = TestBrowser(site)
      #expect(try await secondBrowser.signIn(through: upstream).isConsentPage)
      let accounts = try await site.fixture.server.accounts.list()
      #expect(accounts.map(\.username.value).sorted() == ["ada", "bob", "grace"])
      let grace = try #require(accounts.first { $0.username.value == "grace" })
      #expect(!grace.hasPassword && grace.name == "Grace" && grace.email == nil && grace.emailVerifiedAt == nil)
      let tokenRequest = try #require(upstream.transport.requests(to: upstream.tokenEndpoint).first)
      #expect(tokenRequest.form?["code_verifier"]?.isEmpty == false)
      #expect(tokenRequest.head.headerFields[.authorization]?.hasPrefix("Basic ") == true)
    }
  }

  @Test("if no account is connected and none may be created, the sign-in page says what to do")
  func linkOnly() async throws {
    try await withUpstream { site, upstream in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isSignInPage && page.status == .forbidden && browser.session == nil)
      #expect(page.body.contains("No account here is connected"))
      // The interaction continues with the local password.
      #expect(try await browser.signIn(page).isConsentPage)
    }
  }

  @Test("the second factor of an account is not skipped: after the sign-in at the upstream, a code is required")
  func secondFactor() async throws {
    try await withUpstream { site, upstream in
      let owner = TestBrowser(site)
      _ = try await owner.signIn(try await owner.open("/account"))
      #expect(try await owner.connect(upstream).body.contains("The provider was connected."))
      let (app, _) = try await TestBrowser(site).addApp()

      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isCodePage && browser.session == nil)
      let consent = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
      #expect(consent.isConsentPage)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let claims = try decodedClaims(of: try Tokens(try await site.redeem(code)).id)
      #expect(claims["acr"] as? String == "2" && claims["amr"] as? [String] == ["otp", "mfa"])
      let account = try await site.account("ada")
      let identity = try await site.fixture.store.read { (tx) throws(StoreError) in try tx.federatedIdentities(of: account) }
        .first
      #expect(identity?.lastUsedAt == site.fixture.clock.now)
    }
  }

  @Test("a user whose identity is disconnected while entering the code is not signed in")
  func disconnectedBeforeCode() async throws {
    try await withUpstream { site, upstream in
      let owner = TestBrowser(site)
      _ = try await owner.signIn(try await owner.open("/account"))
      _ = try await owner.connect(upstream)
      let (app, _) = try await owner.addApp()
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isCodePage)
      let account = try await site.account("ada")
      let store = site.fixture.store
      let identity = try #require(
        try await store.read { (tx) throws(StoreError) in try tx.federatedIdentities(of: account) }.first)
      #expect(
        try await site.fixture.server.accounts.removeFederatedIdentity(
          issuer: identity.issuer, subject: identity.subject, of: "ada"))
      let rejected = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
      #expect(!rejected.isConsentPage && browser.session == nil)
      #expect(try await site.trail(.signInRejected).last?.reason == .accountChanged)
    }
  }

  @Test("only the upstream's acr values that the operator lists count as two factors")
  func mappedContext() async throws {
    try await withUpstream(change: { record in
      record.details.accounts = .create
      record.details.twoFactorContexts = ["urn:corp:mfa"]
    }) { site, upstream in
      for (context, level) in [("urn:corp:mfa", "2"), ("2", "1"), ("phr", "1")] {
        upstream.change { $0.claims = ["acr": .string(context)] }
        let browser = TestBrowser(site)
        let consent = try await browser.signIn(through: upstream)
        let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
        let claims = try decodedClaims(of: try Tokens(try await site.redeem(code)).id)
        #expect(claims["acr"] as? String == level)
      }
      let federated = AuthenticationContext.federatedTwoFactors
      #expect(AuthenticationContext.Level(of: federated) == .twoFactors)
    }
  }

  @Test("prompt and max_age lead to a new sign-in at the upstream, whose ID token must confirm it")
  func freshness() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let now = site.fixture.clock.now.seconds
      for (parameter, value, maxAge) in [("prompt", "login", "0"), ("max_age", "100", "100")] {
        let browser = TestBrowser(site)
        func request() async throws -> Reply {
          try await browser.begin(upstream, on: try await browser.authorize(AuthorizeParameters().with(parameter, value)))
        }
        #expect(try await request().parameters["max_age"] == maxAge)
        for time: JSONValue in [.null, .integer(now - 1_000)] {
          upstream.change { $0.claims = ["auth_time": time] }
          let page = try await browser.open(try upstream.signIn(try await request()))
          #expect(page.status == .forbidden && page.body.contains("did not confirm that you signed in again"))
        }
        upstream.change { $0.claims = ["auth_time": .integer(now)] }
        #expect(try await browser.open(try upstream.signIn(try await request())).isConsentPage)
      }
      // The session has the time at which the user signed in at the upstream.
      upstream.change { $0.claims = ["auth_time": .integer(now - 5_000)] }
      let browser = TestBrowser(site)
      let code = try #require(try await browser.decide(try await browser.signIn(through: upstream), "allow").parameters["code"])
      let claims = try decodedClaims(of: try Tokens(try await site.redeem(code)).id)
      #expect(claims["auth_time"] as? Int == Int(now) - 5_000)
    }
  }

  @Test("a session is never newer than the sign-in at the upstream, so an old sign-in there does not allow account changes")
  func honestTime() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }, configure: { $0.allowsAccountDeletion = true }) {
      site, upstream in
      let old = site.fixture.clock.now.seconds - 90
      upstream.change { $0.claims = ["auth_time": .integer(old)] }
      for (parameter, value) in [("max_age", "999"), ("acr_values", "1"), ("prompt", "select_account")] {
        let browser = TestBrowser(site)
        let page = try await browser.authorize(AuthorizeParameters().with(parameter, value))
        let reply = try await browser.signIn(through: upstream, on: page)
        #expect(reply.isConsentPage, "\(parameter)")
        let code = try #require(try await browser.decide(reply, "allow").parameters["code"])
        #expect(try decodedClaims(of: try Tokens(try await site.redeem(code)).id)["auth_time"] as? Int == Int(old))
        // Nine minutes after the sign-in here, the sign-in at the upstream is more than ten minutes old.
        site.fixture.clock.advance(by: .seconds(540))
        // The account has no password, so the page offers only the sign-in at the upstream.
        #expect(try await browser.open("/account/delete").body.contains(#"value="corp""#))
        site.fixture.clock.advance(by: .seconds(-540))
      }
      // prompt=login tolerates a difference of the clocks of at most a minute.
      for (seconds, isAccepted) in [(59, true), (61, false)] as [(Int64, Bool)] {
        upstream.change { $0.claims = ["auth_time": .integer(site.fixture.clock.now.seconds - seconds)] }
        let browser = TestBrowser(site)
        let page = try await browser.authorize(AuthorizeParameters().with("prompt", "login"))
        let reply = try await browser.signIn(through: upstream, on: page)
        #expect(reply.isConsentPage == isAccepted)
      }
    }
  }

  @Test("if the app's request has expired in the meantime, the browser still gets its session")
  func expiredInteraction() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      // The app's request expires after 30 minutes.
      site.fixture.clock.advance(by: .seconds(29 * 60))
      let request = try await browser.begin(upstream, on: page)
      site.fixture.clock.advance(by: .seconds(120))
      let reply = try await browser.get(try upstream.signIn(request))
      #expect(reply.status == .badRequest && browser.session != nil)
      let account = try await browser.open("/account")
      #expect(account.isAccountPage)
    }
  }

  @Test("login_hint, ui_locales, and prompt=select_account are passed on to the upstream")
  func hints() async throws {
    try await withUpstream { site, upstream in
      let browser = TestBrowser(site)
      let parameters = AuthorizeParameters().with("login_hint", "ada@corp.example").with("ui_locales", "de fr")
        .with("prompt", "select_account consent")
      let request = try await browser.begin(upstream, on: try await browser.authorize(parameters))
      #expect(request.parameters["login_hint"] == "ada@corp.example" && request.parameters["ui_locales"] == "de fr")
      #expect(request.parameters["prompt"] == "select_account" && request.parameters["max_age"] == nil)
    }
  }

  @Test(
    "\"Use another account\" lets the user choose at the upstream, and needs no new sign-in there",
    arguments: [JSONValue.null, .integer(1_700_000_000)])
  func anotherAccount(authenticatedAt time: JSONValue) async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = TestBrowser(site)
      for (subject, name) in [("subject-1", "grace"), ("subject-2", "heidi")] {
        upstream.change {
          $0.claims = ["sub": .string(subject), "preferred_username": .string(name), "auth_time": time]
        }
        guard name == "heidi" else {
          #expect(try await browser.signIn(through: upstream).isConsentPage)
          continue
        }
        site.fixture.clock.advance(by: .seconds(1))
        let consent = try await browser.authorize(AuthorizeParameters())
        #expect(consent.isConsentPage && consent.body.contains("grace"))
        let page = try await browser.open("/interaction/switch-account?i=\(try #require(consent.sealedInteraction))")
        let request = try await browser.begin(upstream, on: page)
        #expect(request.parameters["prompt"] == "select_account" && request.parameters["max_age"] == nil)
        let reply = try await browser.open(try upstream.signIn(request))
        #expect(reply.isConsentPage && reply.body.contains(">heidi<") && !reply.body.contains(">grace<"))
        let code = try #require(try await browser.decide(reply, "allow").parameters["code"])
        #expect(try await site.username(redeeming: code) == "heidi")
      }
    }
  }

  @Test("\"Use another account\" never continues with the account that is signed in, and keeps prompt=login of the app")
  func anotherAccountNeedsSignIn() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      for prompt in [nil, "select_account", "login"] {
        site.fixture.clock.advance(by: .seconds(1))
        let first = try await browser.authorize(AuthorizeParameters(.claimedHTTPS).with("prompt", prompt))
        let address = "/interaction/switch-account?i=\(try #require(first.sealedInteraction))"
        let page = try await browser.open(address)
        // The field for the user name is empty.
        #expect(page.isSignInPage && page.body.contains(#"type="text" value="" "#))
        // The signed-in account does not satisfy the request, however often the page is loaded.
        #expect(try await browser.open("/interaction?i=\(try #require(page.sealedInteraction))").isSignInPage)
        let request = try await browser.begin(upstream, on: page)
        #expect(request.parameters["prompt"] == (prompt == "login" ? "login select_account" : "select_account"))
        #expect(request.parameters["max_age"] == (prompt == "login" ? "0" : nil))
      }
    }
  }

  @Test("the account page and the device page ask the upstream to let the user choose another account, too")
  func anotherAccountElsewhere() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      upstream.change { $0.claims = ["preferred_username": "grace", "auth_time": .null] }
      let request = try await browser.begin(upstream, on: try await browser.open("/account/sign-in?for=another-account"))
      #expect(request.parameters["prompt"] == "select_account" && request.parameters["max_age"] == nil)
      let page = try await browser.open(try upstream.signIn(request))
      #expect(page.isAccountPage && page.body.contains("<bdi><strong>grace</strong></bdi>"))

      let device = try await site.beginDevice()
      let consent = try await browser.enterCode(of: device)
      let link = try #require(consent.body.firstMatch(of: /href="([^"]*switch-account[^"]*)"/)).1
      let switching = try await browser.begin(upstream, on: try await browser.open(String(link)))
      #expect(switching.parameters["prompt"] == "select_account")
      let newBrowser = TestBrowser(site)
      let signIn = try await newBrowser.submit(
        try await newBrowser.open(device.verificationURI), [("user_code", device.userCode)])
      #expect(try await newBrowser.begin(upstream, on: signIn).parameters["prompt"] == nil)
    }
  }

  @Test("if a device's client requires two factors, the sign-in at the upstream continues with a code")
  func deviceWithTwoFactors() async throws {
    try await withUpstream { site, upstream in
      let owner = TestBrowser(site)
      try await owner.openAccount()
      _ = try await owner.connect(upstream)
      // With a passkey but no authenticator app, not every sign-in requires a code, but a recovery code is accepted as
      // a second factor.
      var authenticator = try SoftwareAuthenticator(origin: site.issuer.origin)
      let code = try #require(try await owner.addPasskey(&authenticator).recoveryCodes.first)
      let device = try await site.beginDevice()
      var client = try TestClient.loopback.record
      client.details.requiredContext = "2"
      client.grantTypes.append(.deviceCode)
      try await site.add(client)
      let browser = TestBrowser(site)
      let page = try await browser.submit(try await browser.open(device.verificationURI), [("user_code", device.userCode)])
      let tooWeak = try await browser.signIn(through: upstream, on: page)
      #expect(tooWeak.isSignInPage)
      let codePage = try await browser.signIn(through: upstream, on: tooWeak)
      #expect(codePage.isCodePage)
      #expect(try await browser.enter(code, on: codePage).isConsentPage)
    }
  }

  @Test("if an upstream is down or slow, the page says so, later attempts fail at once, and the password still works")
  func upstreamDown() async throws {
    try await withUpstream { site, upstream in
      upstream.transport.on(upstream.issuer.configurationURL, fail: .timedOut)
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      for _ in 0..<3 {
        let failed = try await browser.begin(upstream, on: page)
        #expect(failed.status == .serviceUnavailable && failed.body.contains("cannot be reached right now"))
      }
      let requests = upstream.transport.requests(to: upstream.issuer.configurationURL)
      #expect(requests.count == 1 && requests.allSatisfy { $0.limits.timeout <= .seconds(5) })
      #expect(try await browser.signIn(page).isConsentPage)

      upstream.issuer.publish(on: upstream.transport)
      // Ten seconds after a failed fetch, the next sign-in fetches the metadata again.
      site.fixture.clock.advance(by: .seconds(11))
      let other = TestBrowser(site)
      let request = try await other.begin(upstream, on: try await other.authorize(AuthorizeParameters()))
      #expect(request.status == .seeOther)
      upstream.change { $0.response = .failure(.timedOut) }
      let failed = try await other.open(try upstream.signIn(request))
      #expect(failed.status == .serviceUnavailable && failed.isSignInPage && other.session == nil)
      #expect(try await other.signIn(failed).isConsentPage)
    }
  }

  @Test("an account that is disabled, and an upstream that is disabled or removed, cannot be used")
  func disabled() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      upstream.change { $0.claims = ["preferred_username": "grace"] }
      #expect(try await TestBrowser(site).signIn(through: upstream).isConsentPage)
      try await site.fixture.server.accounts.disable("grace")
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      #expect(try await browser.signIn(through: upstream, on: page).status == .forbidden && browser.session == nil)

      let request = try await browser.begin(upstream, on: page)
      let upstreams = Upstreams(store: site.fixture.store)
      var record = try #require(try await upstreams.upstream("corp"))
      record.disabledAt = site.fixture.clock.now
      #expect(try await upstreams.update(record))
      site.fixture.server.cache.invalidate()
      let failed = try await browser.open(try upstream.signIn(request))
      #expect(failed.status == .serviceUnavailable && browser.session == nil)
      #expect(try await !browser.authorize(AuthorizeParameters()).body.contains(#"name="upstream""#))
      #expect(try await browser.begin(upstream, on: page).status == .badRequest)

      record.disabledAt = nil
      #expect(try await upstreams.update(record))
      site.fixture.server.cache.invalidate()
      let beforeRemoval = try await browser.begin(upstream, on: page)
      #expect(try await upstreams.remove("corp"))
      site.fixture.server.cache.invalidate()
      let afterRemoval = try await browser.open(try upstream.signIn(beforeRemoval))
      #expect(afterRemoval.status == .serviceUnavailable && browser.session == nil)
      #expect(try await !browser.authorize(AuthorizeParameters()).body.contains(#"name="upstream""#))
      #expect(try await browser.begin(upstream, on: page).status == .badRequest)
    }
  }
}
