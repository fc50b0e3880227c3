import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

/// The fixture's access tokens are valid for 600 seconds.
@Suite("Rejected refreshes and lost responses", .timeLimit(.minutes(1)))
struct RefreshReplyTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("if the server rejects a refresh that the app requested, the session continues until its token expires")
  func refusedOnDemand() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let refused = SignInRequirement.refused(OAuthErrorResponse(error: "invalid_grant", description: nil))
    await #expect(throws: SessionError.signInRequired(refused)) { try await session.refresh() }
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(601))
    let restored = try #require(try await self.fixture.client().restoreSession())
    await #expect(throws: SessionError.signInRequired(refused)) { try await restored.accessToken() }
  }

  @Test("if the server has no reuse interval, the session reports that a response was lost before the rejection")
  func lostResponse() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.clock.advance(by: .seconds(700))
    // The server rotates the token, and the connection breaks before the response arrives.
    self.fixture.transport.on(SignInFixture.tokenURL, fail: .unreachable(reason: "reset"))
    await #expect(throws: SessionError.network(.unreachable(reason: "reset"))) { try await session.accessToken() }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let lost = SignInRequirement.refusedAfterLostResponse(OAuthErrorResponse(error: "invalid_grant", description: nil))
    // A new client object simulates another process.
    let next = try #require(try await self.fixture.client().restoreSession())
    let events = await next.events
    await #expect(throws: SessionError.signInRequired(lost)) { try await next.accessToken() }
    var received: [SessionEvent] = []
    for await event in events { received.append(event) }
    #expect(received == [.ended(lost)])
  }

  /// - Parameter error: The error of the first response. If nil, the first response is lost, and the next one contains
  ///   tokens.
  @Test(
    "a refresh that receives a response, whether tokens or an error, leaves no record of a lost response",
    arguments: [nil, "invalid_client", "invalid_scope"])
  func laterResponse(_ error: String?) async throws {
    let session = try await self.fixture.signIn()
    self.fixture.clock.advance(by: .seconds(700))
    if let error {
      self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error(error))
      await #expect(throws: SessionError.self) { try await session.refresh() }
    } else {
      self.fixture.transport.on(SignInFixture.tokenURL, fail: .timedOut)
      await #expect(throws: SessionError.self) { try await session.refresh() }
      self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
      try await session.refresh()
      self.fixture.clock.advance(by: .seconds(700))
    }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let refused = SignInRequirement.refused(OAuthErrorResponse(error: "invalid_grant", description: nil))
    await #expect(throws: SessionError.signInRequired(refused)) { try await session.refresh() }
  }

  @Test(
    "C-30: if a refresh returns the same access token (as Canaille does within one second), the new lifetime and refresh token are used"
  )
  func sameTokenAgain() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.clock.advance(by: .seconds(500))
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-2"))
    try await session.refresh()
    self.fixture.clock.advance(by: .seconds(300))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.refreshRequests.count == 1)
    self.fixture.clock.advance(by: .seconds(400))
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-3"))
    #expect(try await session.accessToken().reveal() == "access-2")
    #expect(self.fixture.refreshRequests.map { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
  }
}
