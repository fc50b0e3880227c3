import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// OpenID Connect Core §11 requires `prompt=consent` for `offline_access`, unless the server has other conditions. This
/// server's condition is that the user has consented to `offline_access` itself.
@Suite("Consent for offline_access")
struct OfflineAccessTests {
  /// The text for `offline_access` on the consent page.
  private static let offlineLine = "Keep access when you are away"
  private let online = AuthorizeParameters(.web).with("scope", "openid profile email")
  private let offline = AuthorizeParameters(.web).with("scope", "openid profile email offline_access")

  /// Redeems the code in an authorization response, and returns the members of the token response.
  private func tokens(_ site: Site, _ reply: Reply) async throws -> [String: String] {
    let response = try await site.redeem(try #require(reply.parameters["code"], "\(reply.status) \(reply.parameters)"), .web)
    #expect(response.status == .ok)
    return response.json
  }

  @Test("S-41: consent to other scopes does not cover offline_access: the user is asked, and prompt=none fails")
  func asks() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let first = try await self.tokens(site, try await browser.complete(self.online))
      #expect(first["refresh_token"] == nil && first["scope"] == "openid profile email")
      // The consent is remembered, but only for the requested scopes.
      #expect(try await browser.authorize(self.online).parameters["code"] != nil)
      let silent = self.offline.with("prompt", "none")
      expectErrorRedirect(try await browser.authorize(silent), "consent_required", silent)
      let page = try await browser.authorize(self.offline)
      #expect(page.isConsentPage && page.body.contains(Self.offlineLine))
      expectErrorRedirect(try await browser.decide(page, "deny"), "access_denied", self.offline)
      expectErrorRedirect(try await browser.authorize(silent), "consent_required", silent)
    }
  }

  @Test("S-41: the consent page names offline_access, and consent to it is remembered for this user and client")
  func grants() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(self.offline))
      #expect(page.isConsentPage && page.body.contains(Self.offlineLine))
      let granted = try await self.tokens(site, try await browser.decide(page, "allow"))
      #expect(granted["refresh_token"] != nil && granted["scope"]?.contains("offline_access") == true)
      // The consent for offline_access is remembered, and prompt=consent asks again.
      let second = try await self.tokens(site, try await browser.authorize(self.offline))
      #expect(second["refresh_token"] != nil)
      let consent = try await browser.authorize(self.offline.with("prompt", "consent"))
      #expect(consent.isConsentPage && consent.body.contains(Self.offlineLine))
      // Another client and another user need their own consent.
      #expect(try await browser.authorize(AuthorizeParameters(.webBasic)).isConsentPage)
      let otherBrowser = TestBrowser(site)
      let other = try await otherBrowser.signIn(try await otherBrowser.authorize(self.offline), as: "bob")
      #expect(other.isConsentPage && other.body.contains(Self.offlineLine))
    }
  }

  @Test("S-41: a request without a scope gets no offline_access")
  func byDefault() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(self.offline.with("scope", nil)))
      #expect(page.isConsentPage && !page.body.contains(Self.offlineLine))
      let tokens = try await self.tokens(site, try await browser.decide(page, "allow"))
      #expect(tokens["refresh_token"] == nil && tokens["scope"]?.contains("offline_access") == false)
    }
  }
}
