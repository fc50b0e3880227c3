import HTTPTestSupport
import HTTPTypes
import SallyportHTTP
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Attacks on two-step verification")
struct TwoStepAttackTests {
  @Test("a code of the app is accepted once, and codes of earlier steps are not accepted afterward")
  func replay() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let clock = site.fixture.clock
      let next = app.code(at: clock.now + .seconds(30))
      let current = app.code(at: clock.now)
      let browser = TestBrowser(site)
      #expect(try await browser.enter(next, on: try await browser.openAccount()).isAccountPage)
      for code in [next, current] {
        let thief = TestBrowser(site)
        let reply = try await thief.enter(code, on: try await thief.openAccount())
        #expect(reply.isCodePage && reply.status == .forbidden && thief.session == nil)
      }
      #expect(try await site.trail { $0.events = [.signInRejected] }.map(\.reason) == [.usedCode, .usedCode])
      clock.advance(by: .seconds(60))
      #expect(try await TestBrowser(site).openAccount(with: app).isAccountPage)
    }
  }

  @Test(
    "codes of the current step, the step before, and the step after are accepted, and no other codes",
    arguments: [-60, -30, 0, 30, 60])
  func tolerance(seconds: Int64) async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      site.fixture.clock.advance(by: .seconds(300))
      let browser = TestBrowser(site)
      let code = app.code(at: site.fixture.clock.now + .seconds(seconds))
      #expect(try await browser.enter(code, on: try await browser.openAccount()).isAccountPage == (abs(seconds) <= 30))
    }
  }

  @Test("exactly one of 20 concurrent uses of a code starts a session")
  func concurrentUse() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let page = try await TestBrowser(site).openAccount()
      let code = app.code(at: site.fixture.clock.now)
      let sessions = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 { group.addTask { try await TestBrowser(site).enter(code, on: page).isAccountPage } }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(sessions == 1)
    }
  }

  /// A form with which users sign in without a code.
  enum SignInForm: String, CaseIterable {
    case app, account, upstream

    func submit(in browser: TestBrowser, _ upstream: FakeUpstream) async throws -> Reply {
      switch self {
      case .app: try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      case .account: try await browser.openAccount()
      case .upstream: try await browser.signIn(through: upstream)
      }
    }
  }

  @Test(
    "a sign-in without a code starts no session if two-step verification is set up just before its last transaction",
    arguments: SignInForm.allCases)
  func setUpMeanwhile(form: SignInForm) async throws {
    let transport = FakeTransport()
    try await withSite { site in
      let store = FailingStore(site.fixture.store)
      let server = AuthorizationServer(
        configuration: site.fixture.server.configuration, store: store, masterKey: site.fixture.masterKey,
        hasher: TestPasswordHasher(), transport: transport, now: site.fixture.clock.source)
      let upstream = try FakeUpstream(on: transport)
      try await upstream.register(at: site)
      try await HTTPTestSupport.withSite(site.fixture, AuthorizationServerRouter(server: server, failuresPerSecond: 0)) { slow in
        let owner = TestBrowser(slow)
        _ = try await owner.openAccount()
        _ = try await owner.connect(upstream)
        let start = store.writes
        let first = TestBrowser(slow)
        _ = try await form.submit(in: first, upstream)
        #expect(first.session != nil)
        // The last write of a sign-in starts the session.
        let last = store.writes + (store.writes - start) - 1
        store.beforeEachWrite { if $0 == last { try await TestBrowser(site).addApp() } }
        let second = TestBrowser(slow)
        let reply = try await form.submit(in: second, upstream)
        #expect(reply.isSignInPage && !reply.isCodePage && second.session == nil)
        #expect(try await form.submit(in: second, upstream).isCodePage)
      }
    }
  }

  @Test("after five wrong codes, even a correct code is rejected for a minute; wrong passwords do not count")
  func throttling() async throws {
    try await withSite { site in
      let (app, recoveryCodes) = try await TestBrowser(site).addApp()
      // An attacker without the correct password gets no page with a sealed state, so the attacker cannot try codes.
      for _ in 0..<4 { _ = try await TestBrowser(site.from("192.0.2.7")).openAccount(password: "wrong horse") }
      let thief = TestBrowser(site)
      let page = try await thief.openAccount()
      var statuses: [HTTPResponse.Status] = []
      for _ in 0..<6 { statuses.append(try await thief.enter("aaaa-aaaa-aaaa", on: page).status) }
      #expect(statuses == Array(repeating: .forbidden, count: 5) + [.tooManyRequests])
      let user = TestBrowser(site)
      for code in [app.code(at: site.fixture.clock.now), recoveryCodes[0]] {
        let reply = try await user.enter(code, on: try await user.openAccount())
        #expect(reply.status == .tooManyRequests && reply.headers[.retryAfter] != nil && user.session == nil)
      }
      site.fixture.clock.advance(by: .seconds(61))
      #expect(try await user.openAccount(with: app).isAccountPage)
      // The correct code has reset the limit.
      let pageAfterReset = try await thief.openAccount()
      #expect(try await thief.enter("aaaa-aaaa-aaaa", on: pageAfterReset).status == .forbidden)
    }
  }

  @Test("even if the user signs in often, an attacker who knows the password can try only 30 codes in a short time")
  func longTermLimit() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let thief = TestBrowser(site)
      var failures = 0
      // The attacker tries 40 codes. After every four, the user signs in, which resets the limit of five codes.
      for _ in 0..<10 {
        let page = try await thief.openAccount()
        for _ in 0..<4 where try await thief.enter("aaaa-aaaa-aaaa", on: page).status == .forbidden { failures += 1 }
        _ = try await TestBrowser(site).openAccount(with: app)
      }
      #expect(failures == 30)
    }
  }

  @Test(
    """
    the sealed state after the password step is accepted only for five minutes, only in its interaction, and only until the \
    password changes
    """)
  func sealedState() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let clock = site.fixture.clock
      func stateAfterPassword() async throws -> (TestBrowser, Reply) {
        let browser = TestBrowser(site)
        return (browser, try await browser.signIn(try await browser.authorize(AuthorizeParameters())))
      }
      func isRejected(_ browser: TestBrowser, _ reply: Reply) -> Bool { reply.isSignInPage && browser.session == nil }

      // The state is rejected in another interaction, on the account page, and if it was changed.
      let (victim, page) = try await stateAfterPassword()
      let (other, otherPage) = try await stateAfterPassword()
      let state = try #require(page.hidden("state"))
      let fields = [("state", state), ("code", app.code(at: clock.now))]
      #expect(isRejected(other, try await other.submit(otherPage, fields)))
      #expect(isRejected(other, try await other.submit(try await other.openAccount(), fields)))
      for wrong in ["", "x", String(state.dropLast(4)) + "AAAA"] {
        let reply = try await victim.submit(page, [("state", wrong), ("code", app.code(at: clock.now))])
        #expect(isRejected(victim, reply))
      }
      // The state is rejected after five minutes.
      let (late, latePage) = try await stateAfterPassword()
      clock.advance(by: .seconds(300))
      #expect(isRejected(late, try await late.enter(app.code(at: clock.now), on: latePage)))
      // The state is rejected after the password was changed.
      let (changed, changedPage) = try await stateAfterPassword()
      try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      #expect(isRejected(changed, try await changed.enter(app.code(at: clock.now), on: changedPage)))
      // None of these attempts has used the code.
      let browser = TestBrowser(site)
      let last = try await browser.openAccount(password: TestServer.otherPassword)
      #expect(try await browser.enter(app.code(at: clock.now), on: last).isAccountPage)
    }
  }

  @Test("whether an account has a second factor is visible only after the correct password")
  func enumeration() async throws {
    try await withSite { site in
      try await TestBrowser(site).addApp()
      var bodies: Set<String> = []
      for username in ["ada", "bob", "nobody"] {
        let browser = TestBrowser(site)
        let reply = try await browser.signIn(try await browser.open("/account"), as: username, password: "wrong horse")
        #expect(reply.status == .forbidden && reply.isSignInPage)
        bodies.insert(reply.bodyWithoutChallenge.replacing(#"value="\#(username)""#, with: ""))
      }
      #expect(bodies.count == 1)
    }
  }

  @Test("S-28: forms of two-step verification require the server's origin and their own CSRF token, and cannot be framed")
  func crossSite() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      #expect(page.isUnframeable)
      let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
      let fields = [("state", try #require(page.hidden("state"))), ("code", app.code(at: site.fixture.clock.now))]
      for headers in [[.origin: "https://evil.example"], [:], [.origin: "null"]] as [HTTPFields] {
        #expect(try await browser.post(action, [("csrf", csrf)] + fields, headers: headers).isWrongAddressPage)
      }
      #expect(try await browser.post(action, fields).isSignInPage)
      #expect(browser.session == nil)
      #expect(try await browser.enter(app.code(at: site.fixture.clock.now), on: page).isConsentPage)

      let account = try await browser.open("/account")
      let token = try #require(account.accountCSRF)
      // A form without a CSRF token, one with the token of the code page, and one with the token of the account page.
      for (path, action, token) in [
        ("two-step", "remove-app", ""), ("two-step", "new-codes", try #require(page.csrf)), ("authenticator", "add-app", token),
      ] {
        let reply = try await browser.post("/account/\(path)", [("csrf", token), ("action", action)])
        #expect(try await browser.get(try #require(reply.location)).statusText?.hasPrefix("Nothing was changed") == true)
      }
      // The correct token, but another site's origin.
      let evil = [("csrf", token), ("action", "remove-app")]
      _ = try await browser.post("/account/two-step", evil, headers: [.origin: "https://evil.example"])
      #expect(try await site.trail(.totpRemoved).isEmpty)
      // Only `addApp` created recovery codes.
      #expect(try await site.trail(.recoveryCodesCreated).count == 1)
    }
  }
}
