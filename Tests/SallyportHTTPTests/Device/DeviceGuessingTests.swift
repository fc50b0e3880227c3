import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Mistakes on the device page")
struct DeviceGuessingTests {
  private func signedIn(_ site: Site) async throws -> TestBrowser {
    let browser = TestBrowser(site)
    _ = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
    return browser
  }

  /// Returns the URL to which an attacker, who is not signed in, is redirected after entering a code.
  private func urlAfterEntering(_ code: String, on site: Site) async throws -> String {
    let attacker = TestBrowser(site)
    let form = try await attacker.get("/device")
    let reply = try await attacker.post("/device", [("csrf", try #require(form.csrf)), ("user_code", code)])
    return try #require(reply.location)
  }

  @Test("a wrong code in a URL that another site opens does not count as a mistake of the signed-in user")
  func openedByOthers() async throws {
    try await withSite { site in
      let victim = try await self.signedIn(site)
      for _ in 0...DeviceVerification.maximumMistakes {
        let page = try await victim.open(try await self.urlAfterEntering("BCDF-GHJK", on: site))
        #expect(page.status == .ok && page.body.contains(#"value="BCDF-GHJK""#))
      }
      #expect(try await victim.enterCode(of: try await site.beginDevice()).isConsentPage)
    }
  }

  @Test(
    "forms that another site posts are rejected, and do not count as mistakes", arguments: ["https://evil.example", "null"])
  func postedByOthers(origin: String) async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      let victim = try await self.signedIn(site)
      let csrf = try #require(try await victim.get("/device").csrf)
      for code in Array(repeating: "BCDF-GHJK", count: DeviceVerification.maximumMistakes + 1) + [device.userCode] {
        let reply = try await victim.post("/device", [("csrf", csrf), ("user_code", code)], headers: [.origin: origin])
        #expect(reply.isWrongAddressPage && reply.location == nil)
      }
      #expect(try await victim.enterCode(of: device).isConsentPage)
    }
  }

  @Test("a sign-in form that another site posts signs no one in", arguments: ["https://evil.example", "null"])
  func signInPostedByOthers(origin: String) async throws {
    try await withSite { site in
      let victim = TestBrowser(site)
      let page = try await victim.open(try await self.urlAfterEntering("BCDF-GHJK", on: site))
      let fields = [("csrf", try #require(page.csrf)), ("username", "bob"), ("password", TestServer.password)]
      let reply = try await victim.post(try #require(page.formAction), fields, headers: [.origin: origin])
      #expect(reply.isWrongAddressPage)
      #expect(victim.cookies.isEmpty)
    }
  }

  @Test("RFC 8628 §5.1: a URL reveals nothing to a signed-in user about a code that they have not entered")
  func urlRevealsNothing() async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      let browser = try await self.signedIn(site)
      for code in [device.userCode, "BCDF-GHJK"] {
        let page = try await browser.open(try await self.urlAfterEntering(code, on: site))
        #expect(page.status == .ok && !page.isConsentPage && page.body.contains(#"value="\#(code)""#))
      }
      // The same holds for the URL that another user gets by entering the code and signing in.
      let other = TestBrowser(site)
      let form = try await other.submit(try await other.open(device.verificationURI), [("user_code", device.userCode)])
      let reply = try await other.post(
        try #require(form.formAction),
        [("csrf", try #require(form.csrf)), ("username", "bob"), ("password", TestServer.password)])
      #expect(!(try await browser.open(try #require(reply.location)).isConsentPage))
    }
  }

  @Test("RFC 8628 §5.1: of a hundred simultaneous guesses, ten are checked; a correct guess after them is not checked")
  func parallel() async throws {
    try await withSite { site in
      let device = try await site.beginDevice()
      let server = site.fixture.server
      let account = try #require(try await server.accounts.account(named: Username("ada")))
      let wrong = try #require(UserCode("BCDF-GHJK"))
      let checked = try await withThrowingTaskGroup { group in
        for _ in 0..<100 {
          group.addTask {
            // A guess that is not checked has the result `tooManyMistakes`.
            guard case .unknown = try await server.deviceVerification.find(wrong, for: account) else { return 0 }
            return 1
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(checked == DeviceVerification.maximumMistakes)
      let correct = try #require(UserCode(device.userCode))
      guard case .tooManyMistakes = try await server.deviceVerification.find(correct, for: account) else {
        Issue.record("the guess after the limit was checked")
        return
      }
    }
  }
}
