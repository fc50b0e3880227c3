import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Accounts of users who sign in through upstreams")
struct UpstreamAccountTests {
  /// Gives an account a verified email address of `example.com`.
  private func verifyEmail(of username: String, at site: Site) async throws {
    _ = try await site.fixture.server.accounts.edit(username, email: "\(username)@example.com", isEmailVerified: true)
  }

  @Test(
    """
    an email address connects an identity only if the upstream and this server have verified it and the operator trusts its \
    domain
    """)
  func linkingByEmail() async throws {
    let cases: [(email: String, isVerified: JSONValue, domains: [String], isLocallyVerified: Bool, isLinked: Bool)] = [
      ("ada@example.com", true, ["example.com"], true, true),
      ("Ada@EXAMPLE.com", true, ["example.com"], true, true),
      ("ada@example.com", false, ["example.com"], true, false),
      ("ada@example.com", .null, ["example.com"], true, false),
      ("ada@example.com", "true", ["example.com"], true, false),
      ("ada@example.com", true, [], true, false),
      ("ada@example.com", true, ["corp.example"], true, false),
      ("ada@example.com", true, ["example.com"], false, false),
      ("ada@example.com@corp.example", true, ["corp.example", "example.com"], true, false),
    ]
    for row in cases {
      try await withUpstream(change: { $0.details.trustedDomains = row.domains }) { site, upstream in
        if row.isLocallyVerified { try await self.verifyEmail(of: "ada", at: site) }
        upstream.change { $0.claims = ["email": .string(row.email), "email_verified": row.isVerified] }
        let browser = TestBrowser(site)
        let reply = try await browser.signIn(through: upstream)
        #expect(reply.isConsentPage == row.isLinked, "\(row)")
        guard row.isLinked else {
          #expect(browser.session == nil)
          return
        }
        #expect(reply.body.contains("ada"))
        #expect(try await site.trail(.identityConnected).map(\.reason) == [.verifiedEmail])
        // From now on, the server finds the account by the identity, whatever email address the upstream sends.
        upstream.change { $0.claims = ["email": "bob@example.com", "email_verified": true] }
        try await self.verifyEmail(of: "bob", at: site)
        let secondSignIn = try await TestBrowser(site).signIn(through: upstream)
        #expect(secondSignIn.isConsentPage && secondSignIn.body.contains("ada") && !secondSignIn.body.contains("bob"))
      }
    }
  }

  @Test("an account with an authenticator app is not connected by its email address, but its user can connect it")
  func protectedAccount() async throws {
    try await withUpstream(change: { $0.details.trustedDomains = ["example.com"] }) { site, upstream in
      try await self.verifyEmail(of: "ada", at: site)
      let (app, _) = try await TestBrowser(site).addApp()
      upstream.change { $0.claims = ["email": "ada@example.com", "email_verified": true] }
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isSignInPage && page.body.contains("connect") && browser.session == nil)
      #expect(try await site.trail(.identityConnected).isEmpty)
      let owner = TestBrowser(site)
      try await owner.openAccount(with: app)
      #expect(try await owner.connect(upstream).body.contains("The provider was connected."))
      #expect(try await TestBrowser(site).signIn(through: upstream).isCodePage)
    }
  }

  @Test("another subject at the same upstream, and the same subject at another upstream, get accounts of their own")
  func identityIsIssuerAndSubject() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let second = try FakeUpstream("second", on: upstream.transport, issuer: "https://second.example")
      try await second.register(at: site) { $0.details.accounts = .create }
      for provider in [upstream, second] { provider.change { $0.claims = ["preferred_username": "grace"] } }
      _ = try await TestBrowser(site).signIn(through: upstream)
      _ = try await TestBrowser(site).signIn(through: second)
      upstream.change { $0.claims = ["preferred_username": "grace", "sub": "subject-2"] }
      _ = try await TestBrowser(site).signIn(through: upstream)
      let names = try await site.fixture.server.accounts.list().map(\.username.value).sorted()
      #expect(names == ["ada", "bob", "grace", "grace-2", "grace-3"])
    }
  }

  @Test("an upstream cannot take over an account by its user name, and a user name never looks like an email address")
  func usernames() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      for (number, (claim, name)) in [
        ("ada", "ada-2"), ("ceo@corp.example", "ceo"), ("<b>x</b>", "bxb"), ("\u{202e}", "user"),
        ("bob\u{200d}\u{fe0f}", "bob-2"), ("\u{301}grace", "grace"), ("\u{94D}", "user-2"),
      ]
      .enumerated() {
        upstream.change { $0.claims = ["sub": .string("subject \(number)"), "preferred_username": .string(claim)] }
        let page = try await TestBrowser(site).signIn(through: upstream)
        #expect(page.isConsentPage)
        #expect(try await site.fixture.server.accounts.account(named: Username(name)) != nil, "\(claim)")
      }
    }
  }

  @Test("claims that the ID token does not contain come from the userinfo endpoint, if it describes the same user")
  func userinfo() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      upstream.change { $0.userinfo = ["sub": "another", "preferred_username": "grace"] }
      let rejected = try await TestBrowser(site).signIn(through: upstream)
      #expect(rejected.status == .forbidden)
      upstream.change { $0.userinfo = ["sub": "subject-1", "preferred_username": "grace"] }
      #expect(try await TestBrowser(site).signIn(through: upstream).isConsentPage)
      #expect(try await site.fixture.server.accounts.account(named: Username("grace")) != nil)
    }
  }

  @Test("a connected identity has the name that the userinfo endpoint returns, and is connected without a name if there is none")
  func nameOfConnectedIdentity() async throws {
    for name in ["grace", nil] {
      try await withUpstream { site, upstream in
        upstream.change { $0.userinfo = name.map { ["sub": "subject-1", "preferred_username": .string($0)] } }
        let owner = TestBrowser(site)
        _ = try await owner.signIn(try await owner.open("/account"))
        let page = try await owner.connect(upstream)
        #expect(page.body.contains("The provider was connected.") && page.body.contains("grace") == (name != nil))
      }
    }
  }

  @Test("the operator chooses the claims for the user name and the name, which come from the ID token or the userinfo endpoint")
  func chosenClaims() async throws {
    let rows: [(claims: [String: JSONValue], userinfo: [String: JSONValue]?, username: String, name: String?)] = [
      (["upn": "grace.h@corp.example", "displayName": "Grace", "name": "G", "email": "e@corp.example"], nil, "grace.h", "Grace"),
      (["upn": "heidi"], ["upn": "mallory", "displayName": "Heidi"], "heidi", "Heidi"),
      (["upn": 7, "displayName": ["x"], "preferred_username": "ivan", "name": "Ivan"], nil, "ivan", "Ivan"),
      (["upn": "judy", "displayName": "a\u{7}b", "preferred_username": "j", "name": "Judy"], nil, "judy", nil),
      (["upn": "ada", "displayName": "Ada"], nil, "ada-2", "Ada"),
    ]
    try await withUpstream(change: {
      $0.details.accounts = .create
      ($0.details.usernameClaim, $0.details.nameClaim) = ("upn", "displayName")
    }) { site, upstream in
      for (number, row) in rows.enumerated() {
        let subject = JSONValue.string("subject-\(number)")
        upstream.change {
          $0.claims = row.claims.merging(["sub": subject]) { $1 }
          $0.userinfo = row.userinfo.map { .object($0.merging(["sub": subject]) { $1 }) }
        }
        #expect(try await TestBrowser(site).signIn(through: upstream).isConsentPage)
        let account = try #require(try await site.fixture.server.accounts.account(named: Username(row.username)))
        #expect(account.name == row.name && account.emailVerifiedAt == nil)
      }
    }
  }

  @Test("12 simultaneous first sign-ins of a user create one account")
  func creationRace() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      upstream.change { $0.claims = ["preferred_username": "grace"] }
      var responses: [(url: String, cookies: [String: String])] = []
      for _ in 0..<12 {
        let browser = TestBrowser(site)
        let request = try await browser.begin(upstream, on: try await browser.authorize(AuthorizeParameters()))
        responses.append((try upstream.signIn(request), browser.cookies))
      }
      let successes = try await withThrowingTaskGroup(of: Bool.self) { group in
        for response in responses {
          group.addTask {
            let browser = TestBrowser(site)
            browser.cookies = response.cookies
            return try await browser.get(response.url).status == .seeOther
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(successes == 12)
      #expect(try await site.fixture.server.accounts.list().count == 3)
    }
  }

  @Test("neither the account page nor the downloaded data of a user without a password says when the password was changed")
  func dataWithoutPassword() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = TestBrowser(site)
      #expect(try await browser.signIn(through: upstream).isConsentPage)
      let data = try await browser.get("/account/data").body
      #expect(data.contains(#""profile""#) && !data.contains("passwordChangedAt"))
      let page = try await browser.open("/account")
      #expect(page.body.contains("You have no password.") && page.body.contains("Set a password"))
      #expect(!page.body.contains("Last changed on") && !page.body.contains("Change the password"))
      let form = try await browser.open("/account/password")
      #expect(form.formAction == "/account/password" && !form.body.contains("Keep the current password"))
      let fields = [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]
      let changed = try await browser.submit(form, fields)
      #expect(changed.body.contains("Last changed on") && !changed.body.contains("You have no password."))
    }
  }

  @Test("a signed-in user can connect and disconnect an identity; both require a recent sign-in, and are recorded")
  func connecting() async throws {
    try await withUpstream { site, upstream in
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.open("/account"))
      let page = try await browser.connect(upstream)
      #expect(page.body.contains("The provider was connected.") && page.body.contains("Corp Login"))
      #expect(try await site.trail(.identityConnected).count == 1)
      let other = TestBrowser(site)
      #expect(try await other.signIn(through: upstream).body.contains("ada"))

      // More than ten minutes after its sign-in, a session can neither disconnect nor connect an identity, even if it
      // was stolen.
      site.fixture.clock.advance(by: .seconds(601))
      let fields = [
        ("action", "disconnect-provider"), ("issuer", upstream.issuer.issuer.value), ("subject", "subject-1"),
      ]
      #expect(try await browser.postProviders(fields).location?.contains("/account/sign-in?for=providers") == true)
      let connection = try await browser.postProviders([("action", "connect-provider"), ("upstream", "corp")])
      #expect(connection.location?.contains("/account/sign-in?for=providers") == true)
      #expect(try await site.trail(.identityDisconnected).isEmpty)
      _ = try await browser.signIn(try await browser.open("/account/sign-in?for=providers"))
      let reply = try await browser.open(try #require(try await browser.postProviders(fields).location))
      #expect(reply.body.contains("The provider was disconnected."))
      #expect(try await site.trail(.identityDisconnected).count == 1)
      #expect(try await TestBrowser(site).signIn(through: upstream).status == .forbidden)
    }
  }

  @Test("the mail about a connected or disconnected identity names the provider, or its issuer after the provider was removed")
  func mails() async throws {
    try await withUpstream(configure: { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }) {
      site, upstream in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let issuer = upstream.issuer.issuer.value
      let fields = [("action", "disconnect-provider"), ("issuer", issuer), ("subject", "subject-1")]
      _ = try await browser.connect(upstream)
      _ = try await browser.postProviders(fields)
      _ = try await browser.connect(upstream)
      _ = try await Upstreams(store: site.fixture.store, now: site.fixture.clock.source).remove("corp")
      _ = try await browser.postProviders(fields)
      let mails = try await site.deliverMail()
      #expect(
        mails.map(\.subject).sorted() == [
          "Sign-in through Corp Login was connected to your account",
          "Sign-in through Corp Login was connected to your account",
          "Sign-in through Corp Login was disconnected from your account",
          "Sign-in through \(issuer) was disconnected from your account",
        ])
      #expect(mails.allSatisfy { $0.plainText.contains($0.subject) && $0.html.contains("Sign-in through") })
    }
  }

  @Test("an identity of another account cannot be connected, and a session that ends in the meantime connects nothing")
  func connectingForeignIdentity() async throws {
    try await withUpstream { site, upstream in
      for (user, text) in [("ada", "The provider was connected."), ("bob", "another account here is already connected")] {
        let browser = TestBrowser(site)
        _ = try await browser.signIn(try await browser.open("/account"), as: user)
        #expect(try await browser.connect(upstream).body.contains(text))
      }
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.open("/account"), as: "bob")
      upstream.change { $0.claims = ["sub": "subject-2"] }
      let redirect = try await browser.postProviders([("action", "connect-provider"), ("upstream", "corp")])
      _ = try await site.fixture.server.accounts.signOut("bob")
      _ = try await browser.open(try upstream.signIn(redirect))
      #expect(try await site.trail(.identityConnected).count == 1)
    }
  }

  @Test("a user without a password cannot disconnect the last identity, and confirms changes by signing in at the upstream")
  func accountWithoutPassword() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }, configure: { $0.allowsAccountDeletion = true }) {
      site, upstream in
      upstream.change { $0.claims = ["preferred_username": "grace"] }
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream, on: try await browser.open("/account"))
      #expect(page.body.contains("Your account") && page.body.contains("grace"))
      let fields = [
        ("action", "disconnect-provider"), ("issuer", upstream.issuer.issuer.value), ("subject", "subject-1"),
      ]
      let rejected = try await browser.open(try #require(try await browser.postProviders(fields).location))
      #expect(rejected.body.contains("because then you could not sign in anymore"))

      // A confirmation accepts only a new sign-in with an identity of this account.
      site.fixture.clock.advance(by: .seconds(700))
      let form = try await browser.open("/account/delete")
      #expect(form.body.contains("<h1>Sign in again</h1>") && !form.isSignInPage)
      #expect(!form.body.lowercased().contains("your password"))
      #expect(try await browser.signIn(through: upstream, on: form).status == .forbidden)
      let now = site.fixture.clock.now.seconds
      upstream.change { $0.claims = ["sub": "subject-2", "auth_time": .integer(now)] }
      #expect(try await browser.signIn(through: upstream, on: form).status == .forbidden)
      let rejections = try await site.trail(.signInRejected)
      #expect(rejections.map { $0.reason?.name } == ["wrong-upstream-response", "other-user"])
      #expect(rejections.allSatisfy { $0.subject == upstream.id })
      let grace = try await site.account("grace")
      #expect(rejections.last?.account == grace)
      #expect(try await site.fixture.server.accounts.list().count == 3)
      upstream.change { $0.claims = ["auth_time": .integer(now)] }
      let deletion = try await browser.signIn(through: upstream, on: form)
      #expect(deletion.body.contains("Delete") && !deletion.isSignInPage)
      let deleted = try await browser.submit(deletion, [("username", "grace")])
      #expect(try await site.fixture.server.accounts.account(named: Username("grace")) == nil, "\(deleted.body)")
      #expect(
        try await site.fixture.store.read { (tx) throws(StoreError) in
          try tx.federatedIdentity(issuer: upstream.issuer.issuer.value, subject: "subject-1")
        } == nil)
    }
  }

  @Test("a user without a password sees no text about one, on the page with recovery codes or when asked for a stronger sign-in")
  func textsWithoutPassword() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      upstream.change { $0.claims = ["preferred_username": "grace"] }
      let browser = TestBrowser(site)
      _ = try await browser.signIn(through: upstream, on: try await browser.open("/account"))
      var authenticator = try SoftwareAuthenticator(origin: site.issuer.origin)
      let codesPage = try await browser.addPasskey(&authenticator, as: "grace")
      #expect(codesPage.recoveryCodes.count == 10 && !codesPage.body.contains("your password"))
      #expect(codesPage.body.contains("you can sign in through a connected provider and enter one of these codes"))
      let other = TestBrowser(site)
      _ = try await other.signIn(through: upstream, on: try await other.open("/account"))
      let page = try await other.open("/account/password")
      #expect(!page.isSignInPage && !page.body.contains("your password"))
      #expect(
        page.body.contains(
          "This change requires a stronger sign-in. Use a passkey, or sign in through a provider and enter a code."))
      upstream.change { $0.claims = ["auth_time": .integer(site.fixture.clock.now.seconds)] }
      let codeEntry = try await other.signIn(through: upstream, on: page)
      #expect(try await other.enter(codesPage.recoveryCodes[0], on: codeEntry).body.contains(#"name="new-password""#))
    }
  }

  @Test("a page on which the user must sign in again offers only the providers that are connected with the account")
  func providersOfConfirmation() async throws {
    try await withUpstream { site, upstream in
      let second = try FakeUpstream("second", on: upstream.transport, issuer: "https://second.example")
      try await second.register(at: site)
      let browser = TestBrowser(site)
      let first = try await browser.open("/account")
      #expect(first.body.contains(#"value="corp""#) && first.body.contains(#"value="second""#))
      _ = try await browser.signIn(first)
      _ = try await browser.connect(upstream)
      site.fixture.clock.advance(by: .seconds(601))
      let page = try await browser.open("/account/password")
      #expect(page.isSignInPage && page.body.contains(#"value="corp""#) && !page.body.contains(#"value="second""#))
    }
  }

  @Test("the download of a user's data contains the connected identities")
  func data() async throws {
    try await withUpstream { site, upstream in
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.open("/account"))
      _ = try await browser.connect(upstream)
      let data = try await browser.get("/account/data").body
      #expect(data.contains("subject-1") && data.contains("login.corp.example"))
    }
  }
}
