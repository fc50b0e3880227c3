import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("New password at the next sign-in")
struct PasswordChangeTests {
  /// Returns the page that asks for a new password.
  private func page(_ browser: TestBrowser) async throws -> Reply {
    try await browser.signIn(try await browser.authorize(AuthorizeParameters()), password: Site.weakPassword)
  }

  @Test("a user with a weak password chooses a new one, the request continues, and the old password's sessions and grants end")
  func wholeWay() async throws {
    try await withSite { site in
      let (tokens, device) = (try await site.tokens(), try await site.beginDevice())
      let otherBrowser = TestBrowser(site)
      try await otherBrowser.allow(device)
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let page = try await self.page(browser)
      #expect(page.status == .ok && page.proof != nil && !page.isSignInPage && browser.cookies.isEmpty)
      #expect(page.headers[.cacheControl] == "no-store" && page.headers[values: .setCookie].isEmpty)
      // The form's response can redirect to the app, and form-action would block the app's further redirects (S-28).
      #expect(page.headers[.contentSecurityPolicy]?.contains("form-action") == false)
      #expect(try await site.refresh(tokens.refresh).status == .ok)

      let next = try await browser.change(page, TestServer.otherPassword)
      #expect(next.isConsentPage && browser.cookies["__Host-sallyport"] != nil)
      #expect(try await browser.decide(next, "allow").parameters["code"] != nil)
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
      expectTokenError(try await site.poll(device), "invalid_grant")
      #expect(try await otherBrowser.authorize(AuthorizeParameters()).isSignInPage)
      let newBrowser = TestBrowser(site)
      let signIn = try await newBrowser.authorize(AuthorizeParameters())
      #expect(try await newBrowser.signIn(signIn, password: Site.weakPassword).status == .forbidden)
      #expect(try await newBrowser.signIn(signIn, password: TestServer.otherPassword).isConsentPage)
      let trail = try await site.fixture.store.read { (tx) throws(StoreError) in try tx.auditRecords(AuditQuery(limit: 100)) }
      #expect(trail.count { $0.event == .passwordChanged && $0.reason == .user } == 1)
    }
  }

  @Test("the sign-in of the device page requires a new password too, and continues to the device")
  func onTheDevicePage() async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let device = try await site.beginDevice()
      let browser = TestBrowser(site)
      let signIn = try await browser.submit(try await browser.open(device.verificationURI), [("user_code", device.userCode)])
      let page = try await browser.signIn(signIn, password: Site.weakPassword)
      #expect(page.proof != nil && browser.cookies.isEmpty)
      let consent = try await browser.change(page, TestServer.otherPassword)
      #expect(consent.isConsentPage)
      _ = try await browser.decide(consent, "allow")
      #expect(try await site.poll(device).status == .ok)
    }
  }

  @Test(
    "a new password that is too short, too long, easy to guess, or not repeated exactly is rejected, and nothing changes",
    arguments: [
      (Site.weakPassword, Site.weakPassword, "fewer than 15"), ("", "", "fewer than 15"),
      ("passwordpassword", "passwordpassword", "too easy to guess"),
      ("ada.ada.ada.ada.ada", "ada.ada.ada.ada.ada", "too easy to guess"),
      (String(repeating: "vkqz", count: 300), String(repeating: "vkqz", count: 300), "longer than 1024 bytes"),
      (TestServer.otherPassword, TestServer.password, "are different"), (TestServer.otherPassword, "", "are different"),
    ])
  func rejected(password: String, repeated: String, text: String) async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let page = try await self.page(browser)
      try await site.expectingSameRowCounts {
        let reply = try await browser.change(page, password, repeated: repeated)
        #expect(reply.status == .badRequest && reply.proof != nil && reply.body.contains(text))
        #expect(!reply.body.contains(TestServer.otherPassword) && browser.cookies.isEmpty)
      }
      #expect(try await browser.change(page, TestServer.otherPassword).isConsentPage)
    }
  }

  @Test("a form from another site, an invalid CSRF token, and an invalid proof change nothing")
  func forged() async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let page = try await self.page(browser)
      let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
      let proof = try #require(page.proof)
      let attempts = [
        (csrf, proof, "https://evil.example"), (csrf, proof, "null"), ("x", proof, "https://id.example"),
        (csrf, "", "https://id.example"), (csrf, "x", "https://id.example"),
        (csrf, String(proof.dropLast(2)) + "AA", "https://id.example"),
        (csrf, String(repeating: "A", count: 5_000), "https://id.example"),
      ]
      for (csrf, proof, origin) in attempts {
        let reply = try await browser.post(
          action,
          [
            ("csrf", csrf), ("proof", proof), ("new-password", TestServer.otherPassword),
            ("new-password-repeat", TestServer.otherPassword),
          ], headers: [.origin: origin])
        let isExpired = reply.isSignInPage && reply.status == .badRequest
        #expect(origin == site.issuer.origin ? isExpired : reply.isWrongAddressPage)
        #expect(browser.cookies.isEmpty)
      }
      #expect(try await browser.change(page, TestServer.otherPassword).isConsentPage)
    }
  }

  @Test(
    "the form's proof becomes invalid after ten minutes or one use, and when the password changes or the account is disabled",
    arguments: ProofEnd.allCases)
  func proofEnds(end: ProofEnd) async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let page = try await self.page(browser)
      switch end {
      case .time: site.fixture.clock.advance(by: .seconds(600))
      case .used: _ = try await TestBrowser(site).change(page, TestServer.password)
      case .passwordChanged: try await AccountChange.passwordChanged.apply(to: "ada", in: site)
      case .disabled: try await AccountChange.disabled.apply(to: "ada", in: site)
      }
      try await site.expectingSameRowCounts {
        let reply = try await browser.change(page, TestServer.otherPassword + "!")
        #expect(reply.isSignInPage && reply.status == .badRequest && browser.cookies.isEmpty)
      }
    }
  }

  enum ProofEnd: CaseIterable, Sendable { case time, used, passwordChanged, disabled }

  @Test("attempts to set a password are throttled like sign-ins, even if the new password is acceptable")
  func throttled() async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site.from("198.51.100.1"))
      let page = try await self.page(browser)
      for _ in 0..<5 { #expect(try await browser.change(page, "short").status == .badRequest) }
      let slowed = try await browser.change(page, TestServer.otherPassword)
      #expect(slowed.status == .tooManyRequests && slowed.headers[.retryAfter] != nil && slowed.proof != nil)
      site.fixture.clock.advance(by: .seconds(60))
      #expect(try await browser.change(slowed, TestServer.otherPassword).isConsentPage)
    }
  }

  @Test("the response to a wrong password does not show that the account needs a new password")
  func wrongPassword() async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let reply = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), password: "incorrect")
      #expect(reply.isSignInPage && reply.status == .forbidden && reply.proof == nil)
    }
  }

  @Test("a hash with outdated cost parameters is replaced before the new password is requested, and the proof stays valid")
  func renewedHash() async throws {
    try await withSite { site in
      try await site.useWeakPassword(hash: TestPasswordHasher.earlierHash(Site.weakPassword))
      let browser = TestBrowser(site)
      #expect(try await browser.change(try await self.page(browser), TestServer.otherPassword).isConsentPage)
    }
  }
}

extension Reply {
  /// The hidden field of the form for a new password. It proves that the user has entered the current password.
  fileprivate var proof: String? { self.hidden("proof") }
}

extension TestBrowser {
  /// Submits the page that asks for a new password.
  func change(_ page: Reply, _ password: String, repeated: String? = nil) async throws -> Reply {
    try await self.submit(
      page,
      [
        ("proof", try #require(page.proof)), ("new-password", password), ("new-password-repeat", repeated ?? password),
      ])
  }
}
