import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Password and deletion on the account page")
struct AccountPasswordTests {
  private func submit(_ browser: TestBrowser, _ password: String, repeated: String? = nil) async throws -> Reply {
    let page = try await browser.open("/account/password")
    return try await browser.submit(page, [("new-password", password), ("new-password-repeat", repeated ?? password)])
  }

  @Test("S-37: a new password ends all other sessions and all grants, and the user stays signed in with a new cookie")
  func changesPassword() async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      try await other.openAccount()
      try await browser.openAccount()
      let before = browser.session
      let signIns = try await site.trail(.signedIn).count
      let page = try await self.submit(browser, TestServer.otherPassword)
      #expect(page.isAccountPage && page.statusText?.hasPrefix("Your password was changed.") == true)
      #expect(browser.session != before)
      // The user did not sign in, although there is a new session.
      #expect(try await site.trail(.signedIn).count == signIns)
      #expect(try await other.get("/account").isSignInPage)
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
      other.cookies["__Host-sallyport"] = before
      #expect(try await other.get("/account").isSignInPage)
      #expect(try await TestBrowser(site).openAccount().status == .forbidden)
      #expect(try await TestBrowser(site).openAccount(password: TestServer.otherPassword).isAccountPage)
      #expect(try await site.trail(.passwordChanged).map(\.reason) == [.user])
    }
  }

  @Test("if the policy rejects the password, or the two entries differ, nothing changes, and the page says why")
  func rejectsPasswords() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      for (password, repeated, text) in [
        ("short", "short", "fewer than 15"), ("ada.ada.ada.ada.ada", "ada.ada.ada.ada.ada", "too easy to guess"),
        (TestServer.otherPassword, TestServer.password, "are different"),
      ] {
        let page = try await self.submit(browser, password, repeated: repeated)
        #expect(page.status == .badRequest && page.body.contains(text) && !page.body.contains(#"value="\#(password)""#))
      }
      #expect(try await site.trail(.passwordChanged).isEmpty)
      #expect(try await browser.get("/account").isAccountPage)
    }
  }

  @Test("the well-known address for changing passwords leads through the sign-in to the form")
  func wellKnown() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let reply = try await browser.get("/.well-known/change-password")
      #expect(reply.status == .seeOther && reply.location == "https://id.example/account/password")
      let signIn = try await browser.open("/.well-known/change-password")
      #expect(signIn.isSignInPage)
      #expect(try await browser.signIn(signIn).body.contains(#"name="new-password-repeat""#))
    }
  }

  @Test("a user with a password that no longer meets the policy chooses a new one before the account page opens")
  func requiredChange() async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let page = try await browser.openAccount(password: Site.weakPassword)
      // No session starts before the change, so the form contains a proof that the user knows the old password.
      let proof = try #require(page.hidden("proof"))
      #expect(browser.session == nil && page.formAction == "/account/change-password?for=page")
      let fields = [
        ("proof", proof), ("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword),
      ]
      #expect(try await browser.submit(page, fields).isAccountPage)
    }
  }

  @Test("typing the user name deletes the account: sessions and grants end, apps are notified, and the name is free again")
  func deletesAccount() async throws {
    let transport = FakeTransport()
    transport.on(Site.backChannelLogoutURI, respond: .text("", status: .ok))
    try await withSite(transport: transport, configure: { $0.allowsAccountDeletion = true }) { site in
      try await site.registerLogoutURI(for: .web)
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      _ = try await other.complete(AuthorizeParameters(.web))
      let tokens = try await site.tokens()
      try await browser.openAccount()
      let sub = try decodedClaims(of: tokens.id)["sub"] as? String
      let page = try await browser.open("/account/delete")
      for wrong in ["", "bob", "ada x"] {
        let reply = try await browser.submit(page, [("username", wrong)])
        #expect(reply.status == .badRequest && reply.body.contains("not the user name"))
      }
      let done = try await browser.submit(page, [("username", "Ada")])
      #expect(done.body.contains("The account is deleted"))
      // The remaining cookie only marks the browser as known, and signs no one in.
      #expect(Set(browser.cookies.keys) == ["__Host-sallyport-browser"])
      #expect(try await other.get("/account").isSignInPage)
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
      #expect(try await site.userinfo(tokens.access).status == .unauthorized)
      #expect(try await site.deliver() == [.delivered])
      #expect(try await TestBrowser(site).openAccount().status == .forbidden)
      #expect(try await site.trail(.accountRemoved).map(\.account?.rawValue) == [sub])
      let newAccount = try await site.fixture.server.accounts.add(username: "ada", password: Secret(TestServer.password))
      #expect(newAccount.id.rawValue != sub)
    }
  }

  @Test("if the operator does not allow users to delete their accounts, no page or form for the deletion exists")
  func deletionOff() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      #expect(try await browser.openAccount().body.contains("/account/delete") == false)
      let csrf = try #require(try await browser.get("/account").accountCSRF)
      #expect(try await browser.get("/account/delete").status == .notFound)
      #expect(try await browser.post("/account/delete", [("csrf", csrf), ("username", "ada")]).status == .notFound)
      #expect(try await browser.get("/account").isAccountPage)
    }
  }
}
