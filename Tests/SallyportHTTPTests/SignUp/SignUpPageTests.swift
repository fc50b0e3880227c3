import HTTPTestSupport
import HTTPTypes
import SallyportHTTP
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Pages for sign-up")
struct SignUpPageTests {
  private func request(_ email: String, _ browser: TestBrowser) async throws -> Reply {
    try await browser.submit(try await browser.open("/account/sign-up"), [("email", email)])
  }

  /// Requests a link, uses it, and returns the page that asks for the user name.
  private func use(_ email: String, _ browser: TestBrowser) async throws -> Reply {
    _ = try await self.request(email, browser)
    return try await browser.use(try #require(try await browser.site.deliverMail().last?.link))
  }

  private func fields(_ username: String, _ password: String = TestServer.otherPassword) -> [(String, String)] {
    [("username", username), ("name", "Carol"), ("new-password", password), ("new-password-repeat", password)]
  }

  @Test(
    "a visitor follows the links of the sign-in page and the mail, creates an account, and signs in; no session starts before that"
  )
  func wholeWay() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site)
      #expect(try await browser.open("/account").body.contains(#"href="/account/sign-up">Create an account</a>"#))
      #expect(try await self.request("carol@example.com", browser).body.contains("<h1>Check your email</h1>"))
      let link = try #require(try await site.deliverMail().first?.link)
      let opened = try await browser.open(link)
      #expect(
        opened.body.contains("<bdi><strong>carol@example.com</strong></bdi>") && opened.body.contains("Create your account"))
      let page = try await browser.submit(opened, [("token", try oneTimeToken(in: link))])
      #expect(page.body.contains(#"autocomplete="new-password""#) && page.body.contains("carol@example.com"))
      let done = try await browser.submit(page, self.fields("carol"))
      #expect(done.status == .ok && done.body.contains("<h1>Your account is ready</h1>"))
      #expect(done.body.contains(#"href="/account/sign-in?for=passkeys">Add a passkey</a>"#))
      #expect(browser.session == nil && browser.cookies["__Host-sallyport-sign-up"] == nil)
      let account = try await browser.openAccount(as: "carol", password: TestServer.otherPassword)
      #expect(account.isAccountPage && account.body.contains(#"<span class="badge new">verified</span>"#))
      #expect(account.body.contains("Your account was created."))
      #expect(try await browser.open(link).status == .notFound)
    }
  }

  @Test(
    "whether or not the address has an account, the response has the same status, text, and header fields, except for the request ID"
  )
  func doesNotRevealAccounts() async throws {
    try await withMail(signUp: .open) { site in
      try await site.fixture.server.accounts.disable("bob")
      var responses: Set<String> = []
      for text in ["ada@example.com", "bob@example.com", "ADA@EXAMPLE.COM", "nobody@example.com"] {
        let reply = try await self.request(text, TestBrowser(site))
        let fields = reply.headers.filter { !["x-request-id", "content-length"].contains($0.name.canonicalName) }
          .map { "\($0)" }.sorted()
        // The page repeats the address, so the content length differs.
        #expect(reply.body.contains(text))
        responses.insert("\(reply.status) \(fields) \(reply.body.replacing(text, with: ""))")
      }
      #expect(responses.count == 1)
    }
  }

  @Test("GET and HEAD do not consume a link, and unknown, used, and expired links show the same page")
  func links() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site)
      _ = try await self.request("carol@example.com", browser)
      let link = String(try #require(try await site.deliverMail().first?.link).dropFirst(site.issuer.origin.count))
      try await site.expectingSameRowCounts {
        for _ in 0..<3 {
          #expect(try await site.send(.head, link).status == .ok)
          let opened = try await site.send(.get, link)
          #expect(opened.body.contains("<h1>Create your account</h1>"))
        }
      }
      #expect(try await site.send(.get, "/account/sign-up/account").status == .notFound)
      let page = try await browser.open(link)
      _ = try await browser.submit(page, [("token", try oneTimeToken(in: link))])
      _ = try await self.request("dora@example.com", browser)
      let expired = String(try #require(try await site.deliverMail().last?.link).dropFirst(site.issuer.origin.count))
      site.fixture.clock.advance(by: .seconds(86_400))
      var bodies: Set<String> = []
      for link in [link, expired, "/account/sign-up/link", "/account/sign-up/link?token=slp_su_x"] {
        let reply = try await site.send(.get, link)
        #expect(reply.status == .notFound)
        bodies.insert(reply.body.replacing(/<code>[^<]*<\/code>/, with: ""))
      }
      #expect(bodies.count == 1 && bodies.first?.contains("This link is not valid") == true)
    }
  }

  @Test("a form is rejected if another site posted it, if its CSRF token is missing, or if it comes from another browser")
  func csrf() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site)
      let csrf = try #require(try await browser.open("/account/sign-up").csrf)
      for headers: HTTPFields in [[.origin: "https://evil.example"], [.origin: "null"], [:]] {
        let reply = try await browser.post("/account/sign-up", [("csrf", csrf), ("email", "x@example.com")], headers: headers)
        #expect(reply.isWrongAddressPage)
      }
      #expect(try await browser.post("/account/sign-up", [("email", "x@example.com")]).status == .badRequest)
      #expect(try await site.deliverMail().isEmpty)
      _ = try await self.request("carol@example.com", browser)
      let link = try #require(try await site.deliverMail().first?.link)
      let (form, token) = (try #require(try await browser.open(link).csrf), try oneTimeToken(in: link))
      let path = "/account/sign-up/link"
      #expect(
        try await browser.post(path, [("csrf", form), ("token", token)], headers: [.origin: "https://evil.example"])
          .isWrongAddressPage)
      #expect(try await browser.post(path, [("token", token)]).status == .notFound)
      let linkPage = try await browser.open(link)
      _ = try await browser.submit(linkPage, [("token", token)])
      // A browser that has lost the response sends the form again.
      browser.cookies.removeValue(forKey: "__Host-sallyport-sign-up")
      let page = try await browser.submit(linkPage, [("token", token)])
      let good = [("csrf", try #require(page.csrf))] + self.fields("carol")
      let target = "/account/sign-up/account"
      #expect(try await browser.post(target, good, headers: [.origin: "https://evil.example"]).isWrongAddressPage)
      #expect(try await browser.post(target, self.fields("carol")).status == .badRequest)
      #expect(try await TestBrowser(site).post(target, good).status == .notFound)
      #expect(try await site.fixture.server.accounts.account(named: Username("carol")) == nil)
      #expect(try await browser.post(target, good).status == .ok)
      #expect(try await browser.post(target, good).status == .notFound)
    }
  }

  @Test(
    "the pages cannot be framed or stored, the page of the link sends only its origin in Referer, and a forged Host does not change the link"
  )
  func headers() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site)
      let forged: HTTPFields = [
        .origin: site.issuer.origin, try #require(HTTPField.Name("Host")): "evil.example",
        try #require(HTTPField.Name("X-Forwarded-Host")): "evil.example",
      ]
      let csrf = try #require(try await browser.open("/account/sign-up").csrf)
      _ = try await browser.post("/account/sign-up", [("csrf", csrf), ("email", "carol@example.com")], headers: forged)
      let mail = try #require(try await site.deliverMail().first)
      let link = try #require(mail.link)
      #expect(link.hasPrefix("https://id.example/account/sign-up/link?token=") && !mail.source.contains("evil.example"))
      for url in ["/account/sign-up", String(link.dropFirst(site.issuer.origin.count))] {
        let reply = try await site.send(.get, url)
        #expect(reply.headers[.cacheControl] == "no-store" && reply.isUnframeable)
        if url.contains("token") {
          #expect(reply.headers[try #require(HTTPField.Name("Referrer-Policy"))] == "strict-origin")
        }
      }
      let page = try await browser.open(link)
      let used = try await browser.post(
        "/account/sign-up/link", [("csrf", try #require(page.csrf)), ("token", try oneTimeToken(in: link))])
      #expect(used.location == "https://id.example/account/sign-up/account")
      let cookie = try #require(used.headers[.setCookie])
      #expect(cookie.hasPrefix("__Host-sallyport-sign-up=") && cookie.contains("Max-Age=1800"))
      #expect(cookie.contains("HttpOnly") && cookie.contains("Secure") && cookie.contains("SameSite=Strict"))
    }
  }

  @Test("rejected entries are explained, the fields keep their values, and the user can try again")
  func rejections() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site)
      let invalid = try await self.request("carol", browser)
      #expect(invalid.status == .badRequest && invalid.body.contains("Email cannot be sent to this address"))
      var page = try await self.use("carol@example.com", browser)
      page = try await browser.submit(page, self.fields("ada"))
      #expect(page.status == .conflict && page.body.contains("already taken") && page.body.contains(#"value="ada""#))
      page = try await browser.submit(page, self.fields("a b"))
      #expect(page.status == .badRequest && page.body.contains("not allowed"))
      page = try await browser.submit(page, self.fields("carol", "short"))
      #expect(page.status == .badRequest && page.body.contains("fewer than 15") && page.body.contains(#"value="Carol""#))
      #expect(!page.body.contains(#"value="short""#))
      #expect(try await browser.submit(page, self.fields("carol")).status == .ok)
    }
  }

  @Test("if the address got an account in the meantime, the page says so")
  func accountExists() async throws {
    try await withMail(signUp: .open) { site in
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      let (page, otherPage) = (
        try await self.use("carol@example.com", browser), try await self.use("carol@example.com", other)
      )
      #expect(try await browser.submit(page, self.fields("carol")).status == .ok)
      let reply = try await other.submit(otherPage, self.fields("carol2"))
      #expect(reply.status == .conflict && reply.body.contains("You already have an account"))
    }
  }

  @Test("a network that sends too many requests must wait")
  func throttles() async throws {
    try await withMail(signUp: .open) { site in
      let site = site.from("203.0.113.9")
      for number in 0..<10 { #expect(try await self.request("u\(number)@example.com", TestBrowser(site)).status == .ok) }
      let reply = try await self.request("ada@example.com", TestBrowser(site))
      #expect(reply.status == .tooManyRequests && reply.headers[.retryAfter] == "3600")
    }
  }

  @Test(
    "unless everyone can sign up, the sign-up page says that sign-up is closed; invited users choose their names"
  )
  func policies() async throws {
    try await withMail(signUp: .invite) { site in
      #expect(try await !TestBrowser(site).open("/account").body.contains("sign-up"))
      let reply = try await site.send(.get, "/account/sign-up")
      #expect(reply.status == .forbidden && reply.body.contains("<h1>Sign-up is closed</h1>"))
      let link = try await #require(site.fixture.server.signUps).invite("carol@example.com", isMailed: false).reveal()
      let browser = TestBrowser(site)
      let page = try await browser.submit(try await browser.open(link), [("token", try oneTimeToken(in: link))])
      #expect(try await browser.submit(page, self.fields("carol")).body.contains("Your account is ready"))
    }
    try await withMail(signUp: .off) { site in
      let reply = try await site.send(.get, "/account/sign-up")
      #expect(reply.status == .forbidden && reply.body.contains("<h1>Sign-up is closed</h1>"))
      let name = site.fixture.server.configuration.name
      #expect(reply.body.contains("If you need an account, contact the operator of \(name)."))
    }
  }

  @Test(
    "after the operator has closed sign-up, the pages of earlier links say so; if sign-up is off, they say so for any token",
    arguments: [SignUpPolicy.invite, .off])
  func closed(policy: SignUpPolicy) async throws {
    try await withMail(signUp: .open) { site in
      let fixture = site.fixture
      let browser = TestBrowser(site)
      _ = try await self.request("carol@example.com", browser)
      let link = try #require(try await site.deliverMail().last?.link)
      let (token, csrf) = (try oneTimeToken(in: link), try #require(try await browser.open(link).csrf))
      let router = AuthorizationServerRouter(
        server: try fixture.otherProcess { $0.signUp = policy }, failuresPerSecond: 0)
      try await withSite(fixture, router) { site in
        let browser = TestBrowser(site)
        let replies = [
          try await browser.open(link),
          try await browser.post("/account/sign-up/link", [("csrf", csrf), ("token", token)]),
        ]
        for reply in replies {
          #expect(reply.status == .forbidden && reply.body.contains("<h1>Sign-up is closed</h1>"))
          #expect(reply.headers[try #require(HTTPField.Name("Referrer-Policy"))] == "strict-origin")
        }
        let unknown = try await browser.open("/account/sign-up/link?token=slp_su_x")
        #expect(unknown.status == (policy == .off ? .forbidden : .notFound))
        if policy == .off {
          let bodies = [replies[0], unknown].map { $0.body.replacing(/<code>[^<]*<\/code>/, with: "") }
          #expect(bodies[0] == bodies[1])
          #expect(try await browser.open("/account/sign-up/account").body.contains("Sign-up is closed"))
        }
      }
    }
  }

  @Test("prompt=create leads to the sign-up page, from which the user can sign in instead and continue to the app")
  func promptCreate() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters().with("prompt", "create")
      let page = try await browser.authorize(request)
      #expect(page.body.contains("<h1>Create an account</h1>"))
      #expect(page.headers[try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))] == nil)
      let sent = try await browser.submit(page, [("email", "carol@example.com")])
      #expect(sent.body.contains("Check your email"))
      let signIn = try #require(page.body.firstMatch(of: /href="([^"]*switch-account[^"]*)"/)?.1)
      let signInPage = try await browser.open(String(signIn))
      #expect(signInPage.isSignInPage && signInPage.body.contains("Create an account</a>"))
      let consent = try await browser.signIn(signInPage)
      #expect(try await browser.decide(consent, "allow").parameters["code"] != nil)
      // A user who is signed in can also create another account.
      site.fixture.clock.advance(by: .seconds(1))
      #expect(try await browser.authorize(request).body.contains("<h1>Create an account</h1>"))
      let hostile = try await browser.open("/account/sign-up?i=x%22%26")
      #expect(hostile.formAction == "/account/sign-up")
    }
  }

  @Test("after the sign-up, the app's request continues in the browser that began it, at the sign-in page with the user name")
  func continues() async throws {
    try await withMail(signUp: .open) { site in
      for (name, prompt) in [("carol", "create"), ("dora", nil)] {
        let (browser, other) = (TestBrowser(site), TestBrowser(site))
        var page = try await browser.authorize(AuthorizeParameters().with("prompt", prompt))
        if prompt == nil {
          page = try await browser.open(String(try #require(page.body.firstMatch(of: /href="([^"]*sign-up[^"]*)"/)?.1)))
        }
        _ = try await browser.submit(page, [("email", "\(name)@example.com")])
        let link = try #require(try await site.deliverMail().last?.link)
        // The mailed link does not contain the app's request. A cookie of the browser contains it.
        #expect(!link.contains("i="))
        let form = try await browser.submit(try await browser.open(link), [("token", try oneTimeToken(in: link))])
        let signIn = try await browser.submit(form, self.fields(name))
        #expect(signIn.isSignInPage && signIn.body.contains(#"value="\#(name)""#) && browser.session == nil)
        #expect(browser.cookies["__Host-sallyport-continuation"] == nil)
        let consent = try await browser.signIn(signIn, as: name, password: TestServer.otherPassword)
        #expect(try await browser.decide(consent, "allow").parameters["code"] != nil)
        // If the link is used in another browser, the app's request does not continue there. The address is different,
        // because the first one now has an account.
        _ = try await browser.submit(try await browser.open("/account/sign-up"), [("email", "other-\(name)@example.com")])
        let second = try #require(try await site.deliverMail().last?.link)
        let otherForm = try await other.submit(try await other.open(second), [("token", try oneTimeToken(in: second))])
        let done = try await other.submit(otherForm, self.fields("\(name)2"))
        #expect(done.body.contains("go back to the app"))
      }
    }
  }

  @Test("prompt=create is published and accepted only if sign-up is open, and cannot be combined with another value")
  func promptCreateRules() async throws {
    try await withMail(signUp: .open) { site in
      #expect(site.fixture.server.metadata.promptValuesSupported?.contains("create") == true)
      for prompt in ["create login", "none create", "consent create"] {
        let request = AuthorizeParameters().with("prompt", prompt)
        let reply = try await TestBrowser(site).authorize(request)
        #expect(reply.parameters["error"] == "invalid_request", "\(prompt)")
      }
    }
    try await withMail(signUp: .invite) { site in
      #expect(site.fixture.server.metadata.promptValuesSupported?.contains("create") == false)
      let request = AuthorizeParameters().with("prompt", "create")
      let reply = try await TestBrowser(site).authorize(request)
      #expect(reply.parameters["error"] == "invalid_request")
    }
  }
}
