import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Device authorization, RFC 8628")
struct DeviceTests {
  private func begin(_ site: Site, scope: String = "openid offline_access") async throws -> Device {
    try await site.beginDevice(scope: scope)
  }

  private func poll(_ site: Site, _ device: Device, client: String = "loopback", waiting: Int64 = 5) async throws -> Reply {
    try await site.poll(device, client: client, waiting: waiting)
  }

  private func consentPage(_ browser: TestBrowser, _ device: Device) async throws -> Reply {
    try await browser.enterCode(of: device)
  }

  @Test("P-06: the user signs in with a browser, and the device gets its tokens once")
  func wholeWay() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      expectTokenError(try await self.poll(site, device), "authorization_pending")
      let browser = TestBrowser(site)
      let consent = try await self.consentPage(browser, device)
      #expect(consent.isConsentPage && consent.body.contains(device.userCode) && consent.body.contains("Notes"))
      let result = try await browser.decide(consent, "allow")
      #expect(result.isPage && result.status == .ok)
      let tokens = try Tokens(try await self.poll(site, device))
      #expect(try await site.userinfo(tokens.access).status == .ok)
      #expect(try await site.refresh(tokens.refresh).status == .ok)
      // A second redemption means that the code was copied, so the tokens are revoked.
      expectTokenError(try await self.poll(site, device), "invalid_grant")
      #expect(try site.fixture.revocations() == ["codeReplayed"])
    }
  }

  @Test("P-06: a denial is final, and a missing or unknown decision is a denial", arguments: ["deny", nil, "x"])
  func denied(decision: String?) async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      let browser = TestBrowser(site)
      let consent = try await self.consentPage(browser, device)
      _ = try await browser.decide(consent, decision)
      expectTokenError(try await self.poll(site, device), "access_denied")
      // The decision is final: posting the form again changes nothing.
      let again = try await browser.decide(consent, "allow")
      #expect(again.status == .ok && again.body.contains("was not connected"))
      expectTokenError(try await self.poll(site, device), "access_denied")
    }
  }

  @Test("a browser that sends the consent form again gets the page of the first decision; the session of another user does not")
  func repeatedDecision() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      let (browser, bob) = (TestBrowser(site), TestBrowser(site))
      let consent = try await self.consentPage(browser, device)
      let page = try await bob.submit(try await bob.open(device.verificationURI), [("user_code", device.userCode)])
      let bobsConsent = try await bob.signIn(page, as: "bob")
      #expect(bobsConsent.isConsentPage)
      let result = try await browser.decide(consent, "allow")
      for decision in ["allow", "deny"] {
        let again = try await browser.decide(consent, decision)
        #expect(again.status == .ok && again.body == result.body && again.body.contains("Your device is connected"))
        #expect(try await bob.decide(bobsConsent, decision).status == .notFound)
      }
      #expect(try await self.poll(site, device).status == .ok)
      #expect(try await browser.decide(consent, "allow").body == result.body)
      site.fixture.clock.advance(by: .seconds(600))
      #expect(!(try await browser.decide(consent, "allow").body.contains("Your device is connected")))
    }
  }

  @Test("S-14: a signed-in user is always asked, and the page says that a device wants to use the account")
  func alwaysAsked() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      for _ in 0..<2 {
        let device = try await self.begin(site)
        let consent = try await self.consentPage(browser, device)
        #expect(consent.isConsentPage && consent.body.contains("wants to use your account"))
        _ = try await browser.decide(consent, "allow")
        #expect(try await self.poll(site, device).status == .ok)
      }
    }
  }

  @Test("P-06: the page at verification_uri_complete shows the code, and requires a click")
  func completeAddress() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      let browser = TestBrowser(site)
      let page = try await browser.open(device.verificationURIComplete)
      #expect(page.body.contains(#"value="\#(device.userCode)""#) && !page.isConsentPage && !page.isSignInPage)
      let signIn = try await browser.submit(page, [("user_code", device.userCode.lowercased().replacing("-", with: " "))])
      #expect(signIn.isSignInPage)
      #expect(try await browser.signIn(signIn).isConsentPage)
    }
  }

  @Test("slow_down: a device that polls too soon must wait five seconds longer")
  func slowDown() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      expectTokenError(try await self.poll(site, device), "authorization_pending")
      // Each slow_down raises the interval by five seconds: from 5 to 10, and then to 15.
      expectTokenError(try await self.poll(site, device, waiting: 1), "slow_down")
      expectTokenError(try await self.poll(site, device, waiting: 6), "slow_down")
      expectTokenError(try await self.poll(site, device, waiting: 15), "authorization_pending")
    }
  }

  @Test("P-06: a device code expires after ten minutes, and is bound to its client")
  func ends() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      var other = try TestClient.privateUse.record
      other.grantTypes.append(.deviceCode)
      try await site.add(other)
      expectTokenError(try await self.poll(site, device, client: "private-use"), "invalid_grant")
      site.fixture.clock.advance(by: .seconds(600))
      expectTokenError(try await self.poll(site, device), "expired_token")
      let browser = TestBrowser(site)
      #expect(try await self.consentPage(browser, device).status == .notFound)
    }
  }

  @Test("RFC 8628 §5.1: only signed-in users learn whether a code exists, and they cannot try many codes")
  func guessing() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      let browser = TestBrowser(site)
      func enter(_ code: String) async throws -> Reply {
        try await browser.submit(try await browser.open(device.verificationURI), [("user_code", code)])
      }
      #expect(try await enter("BCDF-GHJK").isSignInPage)
      #expect(try await enter(device.userCode).isSignInPage)
      let signIn = try await enter("BCDF-GHJK")
      #expect(try await browser.signIn(signIn).status == .notFound)
      // With the wrong code that was entered before the sign-in, these are ten mistakes.
      for _ in 0..<9 { #expect(try await enter("BCDF-GHJL").status == .notFound) }
      #expect(try await enter(device.userCode).status == .tooManyRequests)
      // After ten minutes, mistakes no longer count, and the first device code has expired.
      site.fixture.clock.advance(by: .seconds(601))
      let nextDevice = try await self.begin(site)
      #expect(try await enter(nextDevice.userCode).isConsentPage)
    }
  }

  @Test("a malformed code is rejected immediately", arguments: ["", "ABCDEFGH", "BCDF-GHJ", "BCDFGHJKL", "1234-5678", "<b>"])
  func malformed(code: String) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.submit(try await browser.open("/device"), [("user_code", code)])
      #expect(page.status == .badRequest && page.isPage && !page.body.contains("<b>"))
    }
  }

  @Test("a consent form from another site, or with a wrong CSRF token, decides nothing")
  func crossOrigin() async throws {
    try await withSite { site in
      let device = try await self.begin(site)
      let browser = TestBrowser(site)
      let consent = try await self.consentPage(browser, device)
      let (action, csrf) = (try #require(consent.formAction), try #require(consent.csrf))
      for (token, origin) in [(csrf, "https://evil.example"), ("x", "https://id.example"), ("", "https://id.example")] {
        _ = try await browser.post(action, [("csrf", token), ("decision", "allow")], headers: [.origin: origin])
      }
      expectTokenError(try await self.poll(site, device), "authorization_pending")
    }
  }

  @Test("a client can request device codes only if it is registered for them, only with its scopes, and at a limited rate")
  func requests() async throws {
    try await withSite(configure: { $0.requestsPerMinute = 6 }) { site in
      expectTokenError(try await site.post("/device_authorization", [("client_id", "claimed")]), "unauthorized_client")
      expectTokenError(
        try await site.post("/device_authorization", [("client_id", "nobody")]), "invalid_client", status: .unauthorized)
      // Unauthenticated callers get half of the six requests per minute. Rejected requests do not count.
      for _ in 0..<3 { _ = try await self.begin(site) }
      expectTokenError(
        try await site.post("/device_authorization", [("client_id", "loopback"), ("scope", "admin")]), "invalid_scope")
      let tooMany = try await site.post("/device_authorization", [("client_id", "loopback")])
      expectTokenError(tooMany, "temporarily_unavailable", status: .tooManyRequests)
      #expect(tooMany.headers[.retryAfter] == "60")
      site.fixture.clock.advance(by: .seconds(61))
      _ = try await self.begin(site)
    }
  }
}
