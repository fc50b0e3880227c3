import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("What consent covers, and what the user sees")
struct ConsentScopeTests {
  private static let notes = "https://notes.example/api"
  private static let mail = "https://mail.example/api"

  @Test("S-15: consent for a resource covers only requests for this resource, and consent for several resources covers each")
  func resources() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let plain = AuthorizeParameters(.claimedHTTPS)
      let (notes, mail) = (plain.with("resource", Self.notes), plain.with("resource", Self.mail))
      let page = try await browser.signIn(try await browser.authorize(notes))
      #expect(page.isConsentPage && page.body.contains(Self.notes))
      #expect(try await browser.decide(page, "allow").parameters["code"] != nil)
      #expect(try await browser.authorize(notes).parameters["code"] != nil)
      #expect(try await browser.authorize(notes.with("scope", "openid")).parameters["code"] != nil)
      for other in [plain, mail, notes.repeating("resource", Self.mail)] {
        #expect(try await browser.authorize(other).isConsentPage)
        let silent = other.with("prompt", "none")
        expectErrorRedirect(try await browser.authorize(silent), "consent_required", silent)
      }
      let both = mail.repeating("resource", Self.notes)
      _ = try await browser.complete(both)
      #expect(try await browser.authorize(both).parameters["code"] != nil)
      #expect(try await browser.authorize(mail).parameters["code"] != nil)
      #expect(try await browser.authorize(plain).isConsentPage)
    }
  }

  @Test("scopes consented for different resources are not combined")
  func noCrossing() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let plain = AuthorizeParameters(.claimedHTTPS)
      _ = try await browser.complete(plain.with("scope", "openid email").with("resource", Self.notes))
      _ = try await browser.complete(plain.with("scope", "openid notes").with("resource", Self.mail))
      #expect(
        try await browser.authorize(plain.with("scope", "openid notes").with("resource", Self.notes)).isConsentPage)
    }
  }

  @Test("S-15: an individually requested claim needs consent, like the scope that contains the claim")
  func claims() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", "openid")
      _ = try await browser.complete(request)
      let withEmail = request.with("claims", #"{"userinfo":{"email":null}}"#)
      let page = try await browser.authorize(withEmail)
      #expect(page.isConsentPage && page.body.contains("See your email address"))
      _ = try await browser.decide(page, "allow")
      #expect(try await browser.authorize(withEmail).parameters["code"] != nil)
      #expect(try await browser.authorize(request.with("scope", "openid profile")).isConsentPage)
    }
  }

  @Test("S-14: the operator's own app with a loopback redirect requires one click each time")
  func firstParty() async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.isFirstParty = true
      try await site.add(client)
      let browser = TestBrowser(site)
      var page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      for _ in 0..<2 {
        #expect(page.isConsentPage && page.body.contains("Continue as"))
        #expect(try await browser.decide(page, "allow").parameters["code"] != nil)
        page = try await browser.authorize(AuthorizeParameters())
      }
      let silent = AuthorizeParameters().with("prompt", "none")
      expectErrorRedirect(try await browser.authorize(silent), "consent_required", silent)
    }
  }

  @Test("S-26: sign-in and consent pages show contacts, link to policy and terms with the host of each link, and load no logo")
  func registeredFacts() async throws {
    try await withSite { site in
      let reply = try await site.register([
        "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"], "token_endpoint_auth_method": "none",
        "policy_uri": "https://policy.example/p?a=1&b=2", "tos_uri": "https://terms.example/t",
        "logo_uri": "https://logo.example/logo.png", "contacts": ["help@editor.example"],
      ])
      let request = AuthorizeParameters().with("client_id", try reply.registration.clientID)
      let browser = TestBrowser(site)
      let signIn = try await browser.authorize(request)
      let consent = try await browser.signIn(signIn)
      for page in [signIn, consent] {
        let links = Markup(page.body).all("a")
        for (address, host, label) in [
          ("https://policy.example/p?a=1&b=2", "policy.example", "Privacy policy"),
          ("https://terms.example/t", "terms.example", "Terms of service"),
        ] {
          let link = try #require(links.first { $0["href"] == address })
          #expect(link["rel"] == "noreferrer noopener" && link.text == label)
          #expect(page.body.contains("(<bdi>\(host)</bdi>)"))
        }
        #expect(page.body.contains("help@editor.example"))
        #expect(!page.body.contains("logo.example") && Markup(page.body).all("img").isEmpty)
        #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
      }
    }
  }

  @Test(
    "an address that is not an https URL is not shown as a link",
    arguments: ["javascript:alert(1)", "http://a.example/", "data:text/html,x", "/x"])
  func noLink(address: String) async throws {
    try await withSite { site in
      var client = try TestClient.dynamic.record
      client.details.policyURI = address
      try await site.add(client)
      let page = try await TestBrowser(site).authorize(AuthorizeParameters(.dynamic))
      #expect(page.isSignInPage && !page.body.contains("Privacy policy"))
    }
  }
}
