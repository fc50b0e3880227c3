import HTTPTypes
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("The language setting of users")
struct AccountLanguageTests {
  @Test("a user chooses a language on the account page, and userinfo responses for the profile scope then contain it")
  func chooses() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let first = try await browser.openAccount()
      #expect(first.body.contains(#"<option value="">"#) && !first.body.contains(" selected>"))
      let request = AuthorizeParameters().with("scope", "openid profile offline_access")
      let tokens = try Tokens(try await site.redeem(try #require(try await browser.complete(request).parameters["code"])))
      #expect(try await !site.userinfo(tokens.access).body.contains("locale"))

      #expect(try await browser.postAccount("language", [("language", "en")]).status == .seeOther)
      let page = try await browser.get("/account")
      #expect(page.body.contains(#"<option value="en" lang="en" selected>English</option>"#))
      #expect(try await site.userinfo(tokens.access).body.contains(#""locale":"en""#))
      #expect(try await browser.get("/account/data").body.contains(#""language":"en""#))

      // An empty value removes the setting, and an unsupported language is not set.
      for value in ["", "tlh", "<b>"] {
        _ = try await browser.postAccount("language", [("language", value)])
        #expect(try await !browser.get("/account").body.contains(" selected>"), "\(value)")
      }
    }
  }

  @Test(
    "error pages have the language that the signed-in user has chosen", arguments: ["/authorize?client_id=unknown", "/unknown"])
  func errorPages(path: String) async throws {
    try await withSite { site in
      let browser = TestBrowser(site, headers: [.acceptLanguage: "fr"])
      #expect(try await browser.get(path).body.contains("<html lang=\"fr\""))
      try await browser.openAccount()
      _ = try await browser.postAccount("language", [("language", "de")])
      #expect(try await browser.get(path).body.contains("<html lang=\"de\""))
    }
  }

  @Test("a change of the language is recorded in the audit trail and shown as activity; choosing the same language again is not")
  func recorded() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      for _ in 0..<2 { _ = try await browser.postAccount("language", [("language", "en")]) }
      #expect(try await site.trail(.profileChanged).map(\.reason) == [.language])
      let page = try await browser.get("/account")
      #expect(page.body.contains("You changed your language.") && !page.body.contains("You changed your name."))
      // An operator's change is recorded too.
      _ = try await site.fixture.server.accounts.setLanguage(nil, of: "ada")
      #expect(try await site.trail(.profileChanged).count == 2)
    }
  }

  @Test("the language is not changed by a form of another site, or without a CSRF token")
  func forged() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let csrf = try #require(try await browser.get("/account").accountCSRF)
      _ = try await browser.post("/account/language", [("language", "en")])
      _ = try await browser.post(
        "/account/language", [("csrf", csrf), ("language", "en")], headers: [.origin: "https://evil.example"])
      #expect(try await !browser.get("/account").body.contains(" selected>"))
    }
  }
}
