import HTTPTypes
import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Pages of one-time links")
struct AccountLinkPageTests {
  /// The path and query of a new link for `ada`.
  private func link(_ site: Site) async throws -> String {
    let link = try await site.fixture.server.accountLinks.reset("ada", isMailed: false).reveal()
    return String(link.dropFirst(site.issuer.origin.count))
  }

  private func choose(_ password: String, on page: Reply, _ browser: TestBrowser) async throws -> Reply {
    try await browser.submit(page, [("new-password", password), ("new-password-repeat", password)])
  }

  @Test("the user opens the link, continues, chooses a password, and signs in with it; no session starts before that")
  func resets() async throws {
    try await withSite { site in
      let (browser, link) = (TestBrowser(site), try await self.link(site))
      let page = try await browser.use(link)
      #expect(page.body.contains("<h1>Choose a new password</h1>") && page.body.contains(#"value="ada""#))
      let done = try await self.choose(TestServer.otherPassword, on: page, browser)
      #expect(done.status == .ok && done.body.contains("<h1>Your password is set</h1>"))
      #expect(browser.session == nil && browser.cookies["__Host-sallyport-link"] == nil)
      #expect(try await browser.open("/account").isSignInPage)
      #expect(try await TestBrowser(site).openAccount().status == .forbidden)
      #expect(try await browser.openAccount(password: TestServer.otherPassword).isAccountPage)
    }
  }

  @Test("a user whose browser lost the response continues again, also in another browser, until the password is set")
  func repeatedUse() async throws {
    try await withSite { site in
      let (browser, link) = (TestBrowser(site), try await self.link(site))
      let (page, token) = (try await browser.open(link), try oneTimeToken(in: link))
      _ = try await browser.submit(page, [("token", token)])
      browser.cookies.removeValue(forKey: "__Host-sallyport-link")
      let again = try await browser.submit(page, [("token", token)])
      #expect(again.body.contains("new-password-repeat"))
      let other = try await TestBrowser(site).use(link)
      #expect(other.body.contains("new-password-repeat"))
      #expect(try await self.choose(TestServer.otherPassword, on: again, browser).body.contains("<h1>Your password is set</h1>"))
      #expect(try await browser.submit(page, [("token", token)]).status == .notFound)
      #expect(try await site.send(.get, link).status == .notFound)
    }
  }

  @Test("the page for the first password of an invited user mentions neither an old password nor other devices")
  func firstPassword() async throws {
    try await withSite { site in
      let invitation = try await site.fixture.server.accountLinks.invite("carol", isMailed: false).reveal()
      let browser = TestBrowser(site)
      let page = try await browser.use(String(invitation.dropFirst(site.issuer.origin.count)))
      for text in ["<h1>Choose a password</h1>", ">Set the password</button>", ">Repeat the password</label>"] {
        #expect(page.body.contains(text))
      }
      // "ew password" is a part of both "New password" and "new password".
      #expect(!page.body.contains("ew password") && !page.body.contains("signs you out"))
      let failed = try await self.choose("short", on: page, browser)
      #expect(failed.body.contains("<title>Error: Choose a password") && !failed.body.contains("signs you out"))
      #expect(try await self.choose(TestServer.otherPassword, on: failed, browser).body.contains("<h1>Your password is set</h1>"))
    }
  }

  @Test("after the password is set, the page offers to add a passkey if the server supports passkeys, and the link works")
  func offersPasskey() async throws {
    let offer = #"<a class="alone" href="/account/sign-in?for=passkeys">Add a passkey</a>"#
    try await withSite { site in
      let browser = TestBrowser(site)
      let done = try await self.choose(TestServer.otherPassword, on: try await browser.use(try await self.link(site)), browser)
      #expect(done.body.contains(offer))
      let page = try await browser.open("/account/sign-in?for=passkeys")
      let account = try await browser.signIn(page, password: TestServer.otherPassword)
      #expect(account.isAccountPage && PasskeyFormFields(account) != nil)
    }
    try await withSite(issuer: "http://127.0.0.1:8080") { site in
      let browser = TestBrowser(site)
      let done = try await self.choose(TestServer.otherPassword, on: try await browser.use(try await self.link(site)), browser)
      #expect(done.body.contains("<h1>Your password is set</h1>") && !done.body.contains("passkey"))
    }
  }

  @Test("GET and HEAD consume nothing, and a mail filter that follows every address cannot use the link")
  func opening() async throws {
    try await withSite { site in
      let link = try await self.link(site)
      for _ in 0..<3 {
        #expect(try await site.send(.head, link).status == .ok)
        #expect(try await site.send(.get, link).body.contains("<h1>Choose a new password</h1>"))
      }
      #expect(try await site.send(.get, "/account/choose-password").status == .notFound)
      #expect(try await TestBrowser(site).use(link).body.contains("new-password-repeat"))
    }
  }

  @Test("unknown, expired, used, and replaced links show the same page")
  func invalid() async throws {
    try await withSite { site in
      let replaced = try await self.link(site)
      let used = try await self.link(site)
      _ = try await TestBrowser(site).use(used)
      let browser = TestBrowser(site)
      let expired = try await self.link(site)
      let page = try await browser.open(expired)
      site.fixture.clock.advance(by: .seconds(86_400))
      var bodies: Set<String> = []
      for link in [replaced, used, expired, "/account/link", "/account/link?token=", "/account/link?token=slp_al_x"] {
        let reply = try await site.send(.get, link)
        #expect(reply.status == .notFound)
        bodies.insert(reply.body.replacing(/<code>[^<]*<\/code>/, with: ""))
      }
      #expect(bodies.count == 1 && bodies.first?.contains("This link is not valid") == true)
      let late = try await browser.submit(page, [("token", try oneTimeToken(in: expired))])
      #expect(late.status == .notFound && browser.cookies["__Host-sallyport-link"] == nil)
    }
  }

  @Test("a form is rejected if another site posted it, or if its CSRF token is missing or belongs to another link")
  func csrf() async throws {
    try await withSite { site in
      let (browser, link) = (TestBrowser(site), try await self.link(site))
      let page = try await browser.open(link)
      let (csrf, token) = (try #require(page.csrf), try oneTimeToken(in: link))
      let invitation = try await site.fixture.server.accountLinks.invite("carol", isMailed: false).reveal()
      let form = [("csrf", csrf), ("token", token)]
      for headers: HTTPFields in [[.origin: "https://evil.example"], [.origin: "null"], [:]] {
        #expect(try await browser.post("/account/link", form, headers: headers).isWrongAddressPage)
      }
      #expect(try await browser.post("/account/link", [("token", token)]).status == .notFound)
      #expect(
        try await browser.post("/account/link", [("csrf", csrf), ("token", try oneTimeToken(in: invitation))]).status == .notFound
      )
      let password = try await browser.use(link)
      let passwords = [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]
      #expect(try await browser.post("/account/choose-password", passwords).status == .notFound)
      let good = [("csrf", try #require(password.csrf))] + passwords
      #expect(
        try await browser.post("/account/choose-password", good, headers: [.origin: "https://evil.example"]).isWrongAddressPage)
      #expect(try await TestBrowser(site).post("/account/choose-password", good).status == .notFound)
      #expect(try await browser.post("/account/choose-password", good).status == .ok)
      #expect(try await browser.post("/account/choose-password", good).status == .notFound)
    }
  }

  @Test(
    "S-28: the pages cannot be framed or stored, send only their origin in Referer, and do not contain the Host of the request"
  )
  func headers() async throws {
    try await withSite { site in
      let (browser, link) = (TestBrowser(site), try await self.link(site))
      for url in [link, "/account/link?token=x"] {
        let reply = try await site.send(
          .get, url,
          headers: [
            try #require(HTTPField.Name("Host")): "evil.example",
            try #require(HTTPField.Name("X-Forwarded-Host")): "evil.example",
          ])
        #expect(reply.headers[try #require(HTTPField.Name("Referrer-Policy"))] == "strict-origin")
        #expect(reply.headers[.cacheControl] == "no-store" && reply.isUnframeable)
        #expect(!reply.body.contains("evil.example"))
      }
      let page = try await browser.open(link)
      let reply = try await browser.post(
        "/account/link", [("csrf", try #require(page.csrf)), ("token", try oneTimeToken(in: link))])
      #expect(reply.location == "https://id.example/account/choose-password")
      let cookie = try #require(reply.headers[.setCookie])
      #expect(cookie.hasPrefix("__Host-sallyport-link=") && cookie.contains("Max-Age=900"))
      #expect(cookie.contains("HttpOnly") && cookie.contains("Secure") && cookie.contains("SameSite=Strict"))
    }
  }

  @Test("a rejected password is explained, and the user can try again")
  func rejectedPassword() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.use(try await self.link(site))
      let rejected = try await self.choose("short", on: page, browser)
      #expect(rejected.status == .badRequest && rejected.body.contains("fewer than 15"))
      #expect(try await self.choose(TestServer.otherPassword, on: rejected, browser).status == .ok)
    }
  }
}
