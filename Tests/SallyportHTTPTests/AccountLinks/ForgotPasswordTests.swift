import HTTPTypes
import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Forgotten passwords and email addresses")
struct ForgotPasswordTests {
  private func request(_ text: String, _ site: Site) async throws -> Reply {
    let browser = TestBrowser(site)
    return try await browser.submit(try await browser.open("/account/forgot-password"), [("username", text)])
  }

  @Test("the sign-in page leads to the form, the mail to the page of the link, and the user signs in with the new password")
  func wholeWay() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      #expect(try await browser.open("/account").body.contains(#"href="/account/forgot-password">Forgot your password?</a>"#))
      #expect(try await self.request("ada@example.com", site).body.contains("<h1>Check your email</h1>"))
      let link = try #require(try await site.deliverMail().first?.link)
      let page = try await browser.use(link)
      let password = TestServer.otherPassword
      _ = try await browser.submit(page, [("new-password", password), ("new-password-repeat", password)])
      #expect(try await browser.openAccount(password: password).isAccountPage)
      #expect(try await site.deliverMail().map(\.subject) == ["Your password was changed"])
    }
  }

  @Test("whether or not an account exists, the response has the same status, text, and header fields, except for the request ID")
  func doesNotRevealAccounts() async throws {
    try await withMail { site in
      try await site.fixture.server.accounts.disable("bob")
      var responses: Set<String> = []
      for text in ["ada", "ada@example.com", "nobody", "nobody@example.com", "bob", "\u{1F511}"] {
        let reply = try await self.request(text, site)
        let fields = reply.headers.filter { $0.name.canonicalName != "x-request-id" }.map { "\($0)" }.sorted()
        responses.insert("\(reply.status) \(fields) \(reply.body)")
      }
      #expect(responses.count == 1)
    }
  }

  @Test("forms from other sites are rejected, and links begin with the issuer whatever the request's host is")
  func attacks() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let csrf = try #require(try await browser.open("/account/forgot-password").csrf)
      let form = [("csrf", csrf), ("username", "ada")]
      #expect(
        try await browser.post("/account/forgot-password", form, headers: [.origin: "https://evil.example"]).isWrongAddressPage)
      #expect(try await !browser.post("/account/forgot-password", [("username", "ada")]).body.contains("Check"))
      #expect(try await site.deliverMail().isEmpty)
      let forged: HTTPFields = [
        .origin: site.issuer.origin, try #require(HTTPField.Name("Host")): "evil.example",
        try #require(HTTPField.Name("X-Forwarded-Host")): "evil.example",
        try #require(HTTPField.Name("Forwarded")): "host=evil.example",
      ]
      #expect(try await browser.post("/account/forgot-password", form, headers: forged).status == .ok)
      let mail = try #require(try await site.deliverMail().first)
      #expect(mail.link?.hasPrefix("https://id.example/account/link?token=") == true && !mail.source.contains("evil.example"))
    }
  }

  @Test("a network that sends too many requests must wait")
  func throttles() async throws {
    try await withMail { site in
      let site = site.from("203.0.113.9")
      for number in 0..<20 { #expect(try await self.request("user \(number)", site).status == .ok) }
      let reply = try await self.request("ada", site)
      #expect(reply.status == .tooManyRequests && reply.body.contains("too many requests"))
      #expect(reply.headers[.retryAfter] == "3600")
      #expect(try await site.deliverMail().isEmpty)
    }
  }

  @Test("without mail, users cannot ask for links or change their email addresses, but links of operators work")
  func withoutMail() async throws {
    try await withSite { site in
      #expect(try await !TestBrowser(site).open("/account").body.contains("forgot-password"))
      #expect(try await site.send(.get, "/account/forgot-password").status == .notFound)
      let page = try await TestBrowser(site).openAccount()
      #expect(page.body.contains("contact the operator") && !page.body.contains("change-email"))
      let link = try await site.fixture.server.accountLinks.reset("ada", isMailed: false).reveal()
      #expect(try await TestBrowser(site).open(link).status == .ok)
    }
  }

  @Test("a user changes the email address on the account page, by confirming a link while signed in")
  func changesEmail() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      #expect(
        try await browser.openAccount().body.contains(#"<bdi>ada@example.com</bdi> <span class="badge new">verified</span>"#))
      let asked = try await browser.postAccount("email", [("action", "change-email"), ("email", "new@example.com")])
      #expect(try await browser.open(try #require(asked.location)).statusText?.hasPrefix("A link was emailed") == true)
      let link = try #require(try await site.deliverMail().first?.link)
      let other = TestBrowser(site)
      #expect(try await other.open(link).body.contains("<h1>Sign in to confirm</h1>"))
      let page = try await browser.open(link)
      #expect(page.body.contains("<bdi><strong>new@example.com</strong></bdi>"))
      let done = try await browser.submit(page, [("token", try oneTimeToken(in: link))])
      #expect(done.statusText == "Your email address was confirmed." && done.body.contains("<bdi>new@example.com</bdi>"))
      #expect(try await site.deliverMail().map(\.recipient) == ["<ada@example.com>"])
    }
  }

  @Test("a stolen session cannot change the email address without a recent sign-in")
  func requiresRecentSignIn() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      site.fixture.clock.advance(by: .seconds(601))
      let reply = try await browser.postAccount("email", [("action", "change-email"), ("email", "eve@example.net")])
      #expect(reply.location?.contains("/account/sign-in?for=email") == true)
      #expect(try await site.deliverMail().isEmpty)
    }
  }
}
