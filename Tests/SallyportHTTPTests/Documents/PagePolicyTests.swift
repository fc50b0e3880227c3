import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Content security and opener policies of pages")
struct PagePolicyTests {
  private static let returnURI = "https://web.example/bye"

  /// Two policies of a page. Nil means that the page has no such policy.
  private struct Policies: Equatable {
    /// The `form-action` directive of the content security policy, which restricts the targets of forms.
    var formAction: String?
    /// The value of `Cross-Origin-Opener-Policy`.
    var opener: String?

    /// A page that no app opens and that redirects to no app, such as the home page or a page for a user of a device.
    static let standalone = Policies(formAction: "form-action 'self'", opener: "same-origin")
    /// A page with a form whose response can redirect to an app.
    static let interaction = Policies(formAction: nil, opener: nil)
    /// The last page of a flow. It can be shown in an app's pop-up.
    static let final = Policies(formAction: "form-action 'self'", opener: nil)

    init(formAction: String?, opener: String?) {
      self.formAction = formAction
      self.opener = opener
    }

    init(_ reply: Reply) {
      let directives = (reply.headers[.contentSecurityPolicy] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
      self.formAction = directives.first { $0.hasPrefix("form-action") }.map(String.init)
      self.opener = HTTPField.Name("Cross-Origin-Opener-Policy").flatMap { reply.headers[$0] }
    }
  }

  private func expect(
    _ policies: Policies, _ replies: [Reply], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for reply in replies {
      #expect(reply.isPage, sourceLocation: sourceLocation)
      #expect(Policies(reply) == policies, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "S-28: sign-in and consent pages restrict neither the targets of their forms nor their opener",
    arguments: [TestClient.loopback, .localhost, .privateUse, .claimedHTTPS, .dynamic])
  func interaction(client: TestClient) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters(client))
      let failed = try await browser.signIn(page, password: "x")
      let consent = try await browser.signIn(page)
      #expect(page.isSignInPage && failed.isSignInPage && consent.isConsentPage)
      self.expect(.interaction, [page, failed, consent])
    }
  }

  @Test(
    "S-28: the page for a forgotten password does not restrict its opener if the user comes from an app's request, and otherwise does"
  )
  func forgottenPassword() async throws {
    try await withSite(configure: { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }) { site in
      let browser = TestBrowser(site)
      let signIn = try await browser.authorize(AuthorizeParameters())
      let address = try #require(signIn.body.firstMatch(of: /href="([^"]*)">Forgot your password/)).1
      let page = try await browser.open(String(address))
      self.expect(.interaction, [page, try await browser.submit(page, [("username", "ada")])])
      self.expect(.standalone, [try await browser.open("/account/forgot-password")])
    }
  }

  @Test("S-28: the page that posts an authorization response restricts neither the target of its form nor its opener")
  func formPost() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.web).with("response_mode", "form_post")
      let response = try await TestBrowser(site).complete(request)
      let error = try await TestBrowser(site).authorize(request.with("scope", "admin"))
      #expect(response.formAction == error.formAction)
      self.expect(.interaction, [response, error])
    }
  }

  @Test(
    "S-28: the sign-out page restricts neither its form's target nor its opener; the next page restricts forms to this server")
  func signOut() async throws {
    try await withSite { site in
      var client = try TestClient.web.record
      client.details.postLogoutRedirectURIs = [Self.returnURI]
      try await site.add(client)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.web))
      let query = FormParameters.encode([("client_id", "web"), ("post_logout_redirect_uri", Self.returnURI)])
      self.expect(.interaction, [try await browser.open("/end-session?\(query)")])
      let signOutPage = try await browser.open("/sign-out")
      self.expect(.interaction, [signOutPage])
      self.expect(.final, [try await browser.submit(signOutPage, [])])
    }
  }

  @Test(
    "S-28: an error page keeps the opener, because an app's pop-up can end with an error page",
    arguments: ["/nothing", "/interaction?i=x", "/authorize", "/authorize?client_id=nobody", "/end-session?client_id=nobody"])
  func error(uri: String) async throws {
    try await withSite { site in
      let reply = try await site.send(.get, uri)
      #expect(reply.status.kind == .clientError)
      self.expect(.final, [reply])
    }
  }

  @Test("S-28: the home page and the pages for devices allow forms to this server only, and have no opener of another origin")
  func standalone() async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.grantTypes.append(.deviceCode)
      try await site.add(client)
      let device = try await site.post("/device_authorization", [("client_id", "loopback"), ("scope", "openid")])
      let browser = TestBrowser(site)
      let home = try await browser.open("/")
      let form = try await browser.open("/device")
      let signIn = try await browser.submit(form, [("user_code", try #require(device.json["user_code"]))])
      let consent = try await browser.signIn(signIn)
      let result = try await browser.decide(consent, "deny")
      #expect(signIn.isSignInPage && consent.isConsentPage)
      self.expect(.standalone, [home, form, signIn, consent, result])
    }
  }
}
