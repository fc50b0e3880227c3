import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Refresh", .timeLimit(.minutes(1)))
struct RefreshTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("restoring a session and returning a token that is valid long enough need no network access")
  func noNetwork() async throws {
    _ = try await self.fixture.signIn()
    let before = self.fixture.transport.requests.count
    let session = try #require(try await self.fixture.client().restoreSession())
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.transport.requests.count == before)
  }

  @Test("C-20, C-30: each refresh sends the refresh token of the last response, and no client secret")
  func rotation() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.rotateStrictly()
    try await session.refresh()
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-3")
    #expect(self.fixture.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
    let form = try #require(self.fixture.refreshRequests.last?.form)
    #expect(Set(form.names) == ["grant_type", "refresh_token", "client_id"])
    #expect(self.fixture.refreshRequests.allSatisfy { $0.head.headerFields[.authorization] == nil })
  }

  @Test("a response without a refresh token keeps the existing one")
  func noRotation() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: nil))
    try await session.refresh()
    try await session.refresh()
    #expect(self.fixture.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-1"])
  }

  @Test("without a refresh token, a refresh and the use of an expired token require a new sign-in")
  func noRefreshToken() async throws {
    let session = try await self.fixture.signIn(refresh: nil)
    #expect(await !session.isRenewable)
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await session.refresh() }
    #expect(try await session.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(601))
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await session.accessToken() }
  }

  @Test("a token is refreshed if the clock was set back by more than a minute since it was issued, because it may have expired")
  func clockSetBack() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(-59))
    #expect(try await session.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(-3600))
    #expect(try await session.accessToken().reveal() == "access-2")
    // The new token was issued after the change of the clock.
    #expect(try await session.accessToken().reveal() == "access-2")
    #expect(self.fixture.refreshRequests.count == 1)
  }

  @Test("after the clock was set back, the token is still used if it cannot be refreshed", arguments: [nil, "refresh-1"])
  func clockSetBack(refresh: String?) async throws {
    let session = try await self.fixture.signIn(refresh: refresh)
    self.fixture.transport.on(SignInFixture.tokenURL, fail: .unreachable(reason: "offline"))
    self.fixture.clock.advance(by: .seconds(-3600))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.refreshRequests.count == (refresh == nil ? 0 : 1))
    #expect(try await self.fixture.client().restoreSession() != nil)
  }

  @Test("a token whose lifetime is shorter than the requested minimum is refreshed after half of its lifetime, not at each use")
  func shortLived() async throws {
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user, expiresIn: 30)
    let session = try await self.fixture.client().signIn(scopes: [.openID], via: user, receiver: user)
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.refreshRequests.isEmpty)
    self.fixture.clock.advance(by: .seconds(16))
    self.fixture.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test(
    "C-33: a refreshed ID token with another issuer, user, client, or at_hash is rejected, and no token of the response is stored",
    arguments: [
      ("iss", "https://evil.example"), ("sub", "eve"), ("aud", "other"), ("azp", "other"), ("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
    ] as [(claim: String, value: String)], [nil, .expired, .unknownKey] as [Doubt?])
  func refreshedIDToken(wrong: (claim: String, value: String), doubt: Doubt?) async throws {
    // Without the key, only the claims that must not change are compared.
    guard doubt != .unknownKey || !["azp", "at_hash"].contains(wrong.claim) else { return }
    let session = try await self.fixture.signIn()
    let fixture = self.fixture
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      var claims = fixture.server.claims(clientID: fixture.clientID, now: fixture.clock.now)
      claims[wrong.claim] = .string(wrong.value)
      if doubt == .expired { claims["exp"] = .integer(fixture.clock.now.seconds - 3600) }
      let key: TestSigningKey? = doubt == .unknownKey ? .es256(id: "es-9") : nil
      return .success(
        SignInFixture.tokens("access-evil", refresh: "refresh-evil", idToken: try? fixture.server.token(claims, key: key)))
    }
    let error = await #expect(throws: SessionError.self) { try await session.refresh() }
    guard case .idToken = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains("evil") })
  }

  /// Why a refreshed ID token cannot be accepted, although its other claims are those of the user.
  enum Doubt: CaseIterable {
    /// The client's clock is two hours ahead of the server's.
    case wrongClock
    case expired, issuedInFuture, notYetValid, unknownKey
  }

  @Test(
    "C-30: if only the times of a refreshed ID token are wrong, or its key is unknown, the new tokens are kept with the previous claims",
    arguments: Doubt.allCases)
  func doubtfulIDToken(doubt: Doubt) async throws {
    let session = try await self.fixture.signIn()
    let idToken = await session.idToken
    let (fixture, now) = (self.fixture, self.fixture.clock.now.seconds)
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      var claims = fixture.server.claims(clientID: fixture.clientID, now: fixture.clock.now)
      claims["name"] = "Ada Lovelace"
      switch doubt {
      case .wrongClock: (claims["iat"], claims["exp"]) = (.integer(now - 7200), .integer(now - 6900))
      case .expired: claims["exp"] = .integer(now - 3600)
      case .issuedInFuture: claims["iat"] = .integer(now + 3600)
      case .notYetValid: claims["nbf"] = .integer(now + 3600)
      case .unknownKey: break
      }
      let key: TestSigningKey? = doubt == .unknownKey ? .es256(id: "es-9") : nil
      var response = SignInFixture.tokens(
        "access-2", refresh: "refresh-2", idToken: try? fixture.server.token(claims, key: key))
      if doubt == .wrongClock { response.head.headerFields[.date] = "Fri, 15 Jan 2027 06:00:00 GMT" }
      return .success(response)
    }
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-2")
    #expect(await session.claims?.subject == "ada")
    #expect(await session.claims?.name == nil)
    #expect(await session.idToken == idToken)
    try await self.fixture.client().restoreSession()?.refresh()
    #expect(self.fixture.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
  }

  @Test("C-29: at a sign-in, an ID token with wrong times is rejected", arguments: ["exp": -3600, "iat": 3600, "nbf": 3600])
  func timesAtSignIn(claim: String, offset: Int64) async throws {
    let user = try self.fixture.browser()
    let now = self.fixture.clock.now.seconds
    self.fixture.grantTokens(to: user) { $0[claim] = .integer(now + offset) }
    let error = await #expect(throws: SignInError.self) {
      try await self.fixture.client().signIn(scopes: [.openID], via: user, receiver: user)
    }
    guard case .idToken = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test(
    "while the server's keys cannot be fetched, the old keys are used for a day, even after the metadata was fetched again")
  func oldKeys() async throws {
    let session = try await self.fixture.signIn()
    let fixture = self.fixture
    self.fixture.transport.on(self.fixture.server.jwksURL, fail: .unreachable(reason: "offline"))
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      var claims = fixture.server.claims(clientID: fixture.clientID, now: fixture.clock.now)
      claims["name"] = .string("Ada \(request.index)")
      return .success(SignInFixture.tokens("access-2", refresh: nil, idToken: try? fixture.server.token(claims)))
    }
    // The client caches the metadata for an hour.
    self.fixture.clock.advance(by: .seconds(3600))
    try await session.refresh()
    #expect(self.fixture.transport.requests(to: self.fixture.server.configurationURL).count == 2)
    #expect(await session.claims?.name == "Ada 1")
    self.fixture.clock.advance(by: .seconds(82_800))
    try await session.refresh()
    #expect(await session.claims?.name == "Ada 1")
  }

  @Test("a refreshed ID token of the same user updates the claims")
  func refreshedClaims() async throws {
    let session = try await self.fixture.signIn()
    let fixture = self.fixture
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      var claims = fixture.server.claims(clientID: fixture.clientID, now: fixture.clock.now)
      claims["name"] = "Ada Lovelace"
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2", idToken: try? fixture.server.token(claims)))
    }
    try await session.refresh()
    #expect(await session.claims?.name == "Ada Lovelace")
  }
}
