import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("RP-initiated logout", .timeLimit(.minutes(1)))
struct BrowserSignOutTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
  }

  @Test(
    "OpenID Connect RP-Initiated Logout §2: the tokens are revoked and removed, and the server's logout page opens with the ID token"
  )
  func good() async throws {
    let session = try await self.fixture.signIn()
    let browser = try self.fixture.browser()
    let redirect = try RedirectURI("com.example.app:/signed-out")
    let outcome = try await session.signOut(
      BrowserSignOut(postLogoutRedirectURI: redirect, state: "x y", logoutHint: "ada"), via: browser)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .opened))
    #expect(browser.opened.count == 1)
    #expect(browser.opened[0].hasPrefix("https://id.example/logout?"))
    let parameters = browser.parameters
    #expect(parameters["client_id"] == "notes")
    #expect(parameters["post_logout_redirect_uri"] == "com.example.app:/signed-out")
    #expect(parameters["state"] == "x y")
    #expect(parameters["logout_hint"] == "ada")
    let hint = try JWSCompact(try #require(parameters["id_token_hint"]))
    #expect(String(decoding: hint.payload, as: UTF8.self).contains("ada"))
    // The store contains no token set.
    #expect(self.fixture.store.keys.allSatisfy { $0.kind != "grant" })
    await #expect(throws: SessionError.signInRequired(.signedOut)) { try await session.accessToken() }
  }

  @Test("the app can omit the ID token, and then the URL contains no credential")
  func withoutIDToken() async throws {
    let session = try await self.fixture.signIn()
    // Without a redirect URI, the state is not sent.
    let url = try #require(try await session.endSessionURL(BrowserSignOut(state: "x", sendsIDToken: false)))
    #expect(url.value == "https://id.example/logout?client_id=notes")
    let withIDToken = try #require(try await session.endSessionURL())
    #expect(!withIDToken.value.contains("access-1") && !withIDToken.value.contains("refresh-1"))
  }

  @Test("OpenID Connect Core §12.2: after a refresh, id_token_hint is the newest verified ID token, even in a restored session")
  func refreshed() async throws {
    let session = try await self.fixture.signIn()
    let first = try #require(try await session.endSessionURL()).value
    self.fixture.clock.advance(by: .seconds(60))
    let claims = self.fixture.server.claims(clientID: "notes", now: self.fixture.clock.now)
    let idToken = try self.fixture.server.token(claims)
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2", idToken: idToken))
    try await session.refresh()
    let restored = try #require(try await self.fixture.client().restoreSession())
    let second = try #require(try await restored.endSessionURL()).value
    #expect(second != first)
    #expect(second.contains(idToken.reveal()))
    // A refresh without an ID token keeps the old one.
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-3", refresh: "refresh-3"))
    try await restored.refresh()
    #expect(try await restored.endSessionURL()?.value == second)
  }

  @Test("if the server has no logout page, no page opens, and the user is signed out locally")
  func notOffered() async throws {
    let fixture = try SignInFixture { $0.metadata.endSessionEndpoint = nil }
    fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    let session = try await fixture.signIn()
    let browser = try fixture.browser()
    #expect(try await session.signOut(via: browser) == BrowserSignOutOutcome(tokens: .revoked, browser: .notOffered))
    #expect(browser.opened.isEmpty)
  }

  @Test("if no browser can be opened, the user is signed out locally")
  func noBrowser() async throws {
    let session = try await self.fixture.signIn()
    let browser = try FakeBrowser(openError: .noBrowser(tried: ["x"])) { _ in [] }
    let outcome = try await session.signOut(via: browser)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .notOpened(.noBrowser(tried: ["x"]))))
    #expect(try await self.fixture.client().restoreSession() == nil)
  }
}
