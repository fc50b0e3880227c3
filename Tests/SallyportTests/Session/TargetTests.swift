import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Tokens for several APIs", .timeLimit(.minutes(1)))
struct TargetTests {
  private let fixture: SignInFixture
  /// Issues tokens such as `billing.example-2`: a name from the request, and a number that each refresh increases.
  private let server = TargetServer()
  private let billing: TokenTarget

  init() throws {
    self.fixture = try SignInFixture()
    self.billing = try .api("https://billing.example/")
  }

  private func session(tokenOrigins: [String] = []) async throws -> OAuthSession {
    let session = try await self.fixture.signIn(tokenOrigins: tokenOrigins)
    self.server.serve(on: self.fixture.transport)
    return session
  }

  @Test("RFC 8707 §2.2: a token for another API is requested once, stored, and shared with other processes")
  func resource() async throws {
    let session = try await self.session()
    let token = try await session.accessToken(for: self.billing)
    #expect(token.value.reveal() == "billing.example-2")
    #expect(token.expiration == (self.fixture.clock.now + .seconds(600)).date)
    #expect(self.fixture.refreshRequests.last?.form?["resource"] == "https://billing.example/")
    #expect(try await session.accessToken(for: self.billing).value == token.value)
    let other = try #require(try await self.fixture.client().restoreSession())
    #expect(try await other.accessToken(for: self.billing).value == token.value)
    #expect(self.fixture.refreshRequests.count == 1)
  }

  @Test(
    "RFC 6749 §6: a token for another scope is requested with that scope, and with offline_access if the sign-in requested it")
  func scope() async throws {
    let session = try await self.session()
    let token = try await session.accessToken(for: TokenTarget(scope: "https://graph.example/User.Read"))
    #expect(token.value.reveal() == "User.Read-2")
    #expect(self.fixture.refreshRequests.last?.form?["scope"] == "https://graph.example/User.Read offline_access")
    #expect(token.scope == "https://graph.example/User.Read")
  }

  @Test("a target's parameters are sent, and targets that differ only in their parameters have different tokens")
  func parameters() async throws {
    let session = try await self.session()
    for audience in ["https://one.example", "https://two.example"] {
      let target = TokenTarget(parameters: try AdditionalParameters(["audience": audience]))
      let host = audience.dropFirst("https://".count)
      #expect(try await session.accessToken(for: target).value.reveal().hasPrefix(host))
    }
  }

  @Test("a refresh for another API keeps the session's own token, and the next refresh uses the rotated refresh token")
  func ownToken() async throws {
    let session = try await self.session()
    _ = try await session.accessToken(for: self.billing)
    #expect(try await session.accessToken().reveal() == "access-1")
    let other = try #require(try await self.fixture.client().restoreSession())
    #expect(try await other.accessToken().reveal() == "access-1")
    #expect(self.fixture.refreshRequests.count == 1)
    try await other.refresh()
    #expect(self.fixture.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
    #expect(try await session.accessToken(for: self.billing).value.reveal() == "billing.example-2")
    #expect(self.fixture.refreshRequests.count == 2)
  }

  @Test("the session's own refresh request contains the session's scope only after a refresh for another API")
  func ownScope() async throws {
    let session = try await self.session()
    try await session.refresh()
    _ = try await session.accessToken(for: self.billing)
    try await session.refresh()
    let scopes = self.fixture.refreshRequests.map { $0.form?["scope"] }
    #expect(scopes == [nil, nil, "openid offline_access"])
  }

  @Test("if the server rejects the session's own scope in a refresh, the refresh is repeated without a scope")
  func ownScopeRejected() async throws {
    let session = try await self.session()
    _ = try await session.accessToken(for: self.billing)
    self.server[rejecting: "openid offline_access"] = SignInFixture.error("invalid_scope")
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-3")
  }

  @Test("targets with the same scope values and resources have the same token, regardless of order and repetition")
  func normalized() async throws {
    let session = try await self.session()
    let (one, two) = (try ResourceIndicator("https://one.example/"), try ResourceIndicator("https://two.example/"))
    let first = try await session.accessToken(for: TokenTarget(scope: ["a", "b"], resources: [one, two]))
    let second = try await session.accessToken(for: TokenTarget(scope: ["b", "a"], resources: [two, one, two]))
    #expect(first.value == second.value)
    #expect(self.fixture.refreshRequests.count == 1)
  }

  @Test("an empty target stands for the session's own token")
  func empty() async throws {
    let session = try await self.session()
    let token = try await session.accessToken(for: TokenTarget())
    #expect(token.value.reveal() == "access-1")
    #expect(token.scope == [.openID, .offlineAccess])
  }

  @Test("if the granted scope is narrower than the requested scope, the token has the granted scope")
  func narrowed() async throws {
    let session = try await self.session()
    self.server.narrowedScope = "notes:read"
    let token = try await session.accessToken(for: TokenTarget(scope: ["notes:read", "notes:write"]))
    #expect(token.scope == "notes:read")
    #expect(await session.scope == [.openID, .offlineAccess])
  }

  @Test("a token that expires soon is requested again, and a refresh removes expired tokens from the store")
  func expired() async throws {
    let session = try await self.session()
    _ = try await session.accessToken(for: self.billing)
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken(for: self.billing).value.reveal() == "billing.example-3")
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains("billing.example-2") })
    self.fixture.clock.advance(by: .seconds(700))
    try await session.refresh()
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains("billing.example-3") })
  }

  @Test("only the tokens of the last 16 targets are kept")
  func bounded() async throws {
    let session = try await self.session()
    for number in 1...17 {
      self.fixture.clock.advance(by: .seconds(1))
      _ = try await session.accessToken(for: .api("https://api.example/n\(number)"))
    }
    let text = self.fixture.store.texts.joined()
    #expect(!text.contains("\"n1-2\""))
    for number in 2...17 { #expect(text.contains("\"n\(number)-\(number + 1)\"")) }
  }

  @Test("a sign-out revokes and removes the tokens of all targets")
  func signOut() async throws {
    let session = try await self.session()
    _ = try await session.accessToken(for: self.billing)
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .text("", status: .ok))
    try await session.signOut()
    let revokedTokens = self.fixture.transport.requests(to: SignInFixture.revokeURL).compactMap { $0.form?["token"] }
    #expect(revokedTokens == ["refresh-2", "access-1", "billing.example-2"])
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains("billing") })
  }

  @Test("a new sign-in removes the tokens of all targets")
  func newSignIn() async throws {
    let session = try await self.session()
    _ = try await session.accessToken(for: self.billing)
    let next = try await self.fixture.signIn()
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains("billing") })
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("new-1", refresh: "refresh-2"))
    #expect(try await next.accessToken(for: self.billing).value.reveal() == "new-1")
  }
}
