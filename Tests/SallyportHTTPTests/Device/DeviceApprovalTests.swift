import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Device approvals")
struct DeviceApprovalTests {
  @Test(
    "S-37: a device gets no tokens if the password changes or the account is disabled after the approval",
    arguments: AccountChange.allCases)
  func endsWithAccount(change: AccountChange) async throws {
    try await withSite { site in
      let (device, other) = (try await site.beginDevice(), try await site.beginDevice())
      try await TestBrowser(site).allow(device)
      let bob = TestBrowser(site)
      let page = try await bob.submit(try await bob.open(other.verificationURI), [("user_code", other.userCode)])
      _ = try await bob.decide(try await bob.signIn(page, as: "bob"), "allow")
      // The clock has not advanced since the approval, so a comparison of times cannot reject the approval. The change
      // itself must remove it.
      try await change.apply(to: "ada", in: site)
      expectTokenError(try await site.poll(device), "invalid_grant")
      #expect(try await site.poll(other).status == .ok)
    }
  }

  @Test(
    "S-37: an approval that was not revoked when the account changed is rejected, because it is older than the change",
    arguments: AccountChange.allCases)
  func comparesTimes(change: AccountChange) async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      try await TestBrowser(site).allow(device)
      site.fixture.clock.advance(by: .milliseconds(1))
      try await change.applyWithoutRevocation(to: "ada", in: site)
      expectTokenError(try await site.poll(device), "invalid_grant")
    }
  }

  @Test("an approval after a password change is valid, even in the same millisecond")
  func approvedAfterChange() async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      try await site.fixture.server.accounts.setPassword(Secret(TestServer.password), of: "ada")
      try await TestBrowser(site).allow(device)
      #expect(try await site.poll(device).status == .ok)
    }
  }

  @Test("a sign-out in the browser does not revoke the approval of a device")
  func browserSignOut() async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      let browser = TestBrowser(site)
      try await browser.allow(device)
      let session = try #require(browser.cookies["__Host-sallyport"])
      let request = try await site.fixture.server.logout.parse("")
      try await site.fixture.server.sessions.end(session, for: request, from: .server)
      #expect(try await site.poll(device).status == .ok)
    }
  }

  @Test("a user whose session ended while the device's consent page was open cannot decide", arguments: [true, false])
  func endedSession(allow: Bool) async throws {
    try await withSite { site in
      let server = site.fixture.server
      let device = try await site.beginDevice()
      let account = try #require(try await server.accounts.account(named: Username("ada")))
      let cookie = try #require(try await server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server))
        .reveal()
      let session = try #require(try await server.sessions.active(cookie))
      let code = try #require(UserCode(device.userCode))
      guard case .waiting(let waiting) = try await server.deviceVerification.find(code, for: account) else {
        Issue.record("the device is not waiting")
        return
      }
      try await server.sessions.end(cookie, for: try await server.logout.parse(""), from: .server)
      let outcome = try await server.deviceVerification.decide(waiting, session: session, allow: allow, from: .server)
      #expect(outcome == .unknown)
      expectTokenError(try await site.poll(device), "authorization_pending")
    }
  }

  @Test("RFC 9449 §5: a device code that a public client requested with a DPoP proof can be redeemed only with the same key")
  func boundToKey() async throws {
    try await withSite { site in
      let (key, other) = (try SoftwareDPoPKeys().makeKey(), try SoftwareDPoPKeys().makeKey())
      let device = try await site.beginDevice(key: key)
      try await TestBrowser(site).allow(device)
      expectTokenError(try await site.poll(device), "invalid_dpop_proof")
      expectTokenError(try await site.poll(device, key: other), "invalid_grant")
      let reply = try await site.poll(device, key: key)
      #expect(reply.status == .ok && reply.json["token_type"] == "DPoP")
    }
  }

  @Test("RFC 8707: a device gets tokens for the resource that its user allowed, and for no other")
  func resource() async throws {
    try await withSite { site in
      let device = try await site.beginDevice(resource: "https://api.example")
      try await TestBrowser(site).allow(device)
      expectTokenError(try await site.poll(device, resource: "https://other.example"), "invalid_target")
      let tokens = try Tokens(try await site.poll(device, resource: "https://api.example"))
      let audience = try decodedClaims(of: tokens.access)["aud"] as? String
      #expect(audience == "https://api.example")
      expectTokenError(
        try await site.refresh(tokens.refresh, changing: ["resource": "https://other.example"]), "invalid_target")
    }
  }
}
