import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// The fixture's access tokens are valid for 600 seconds. In the last 60 seconds, a session refreshes its token early.
@Suite("Failed refreshes", .timeLimit(.minutes(1)))
struct RefreshTroubleTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// A failure of a refresh that does not end the session, and the error that it causes.
  struct Trouble: Sendable, CustomTestStringConvertible {
    let outcome: Result<TransportResponse, TransportError>
    let error: SessionError
    var testDescription: String { "\(self.error)" }
  }

  static let troubles = [
    Trouble(outcome: .failure(.unreachable(reason: "offline")), error: .network(.unreachable(reason: "offline"))),
    Trouble(outcome: .failure(.timedOut), error: .network(.timedOut)),
    Trouble(outcome: .success(.text("", status: .internalServerError)), error: .unavailable(status: 500)),
    Trouble(outcome: .success(.text("", status: .serviceUnavailable)), error: .unavailable(status: 503)),
    Trouble(outcome: .success(.text("", status: .tooManyRequests)), error: .unavailable(status: 429)),
    Trouble(outcome: .success(.text("<html>", status: .ok)), error: .tokenResponse(.malformed)),
    Trouble(outcome: .success(.redirect(to: "https://portal.example/")), error: .tokenResponse(.unexpectedStatus(302))),
    Trouble(
      outcome: .success(SignInFixture.error("invalid_client")),
      error: .refused(OAuthErrorResponse(error: "invalid_client", description: nil))),
    Trouble(
      outcome: .success(SignInFixture.error("invalid_scope")),
      error: .refused(OAuthErrorResponse(error: "invalid_scope", description: nil))),
  ]

  @Test(
    "after a refresh fails for a reason other than the refresh token, the session continues",
    arguments: Self.troubles)
  func trouble(_ trouble: Trouble) async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in trouble.outcome }
    self.fixture.clock.advance(by: .seconds(700))
    await #expect(throws: trouble.error) { try await session.accessToken() }
    self.fixture.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test("if an early refresh fails, the access token is used until it expires", arguments: Self.troubles)
  func earlyTrouble(_ trouble: Trouble) async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in trouble.outcome }
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.refreshRequests.count == 1)
    self.fixture.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test(
    "if an early refresh is rejected with invalid_grant, the access token is used until it expires, and then the session ends"
  )
  func earlyRejection() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let events = await session.events
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.refreshRequests.count == 1)
    self.fixture.clock.advance(by: .seconds(31))
    let refused = SignInRequirement.refused(OAuthErrorResponse(error: "invalid_grant", description: nil))
    let other = try #require(try await self.fixture.client().restoreSession())
    await #expect(throws: SessionError.signInRequired(refused)) { try await session.accessToken() }
    #expect(try await self.fixture.client().restoreSession() == nil)
    var received: [SessionEvent] = []
    for await event in events { received.append(event) }
    #expect(received == [.notRenewable(refused), .ended(refused)])
    // A session that another process restored earlier reports the same error.
    await #expect(throws: SessionError.signInRequired(refused)) { try await other.accessToken() }
  }

  @Test("invalid_grant ends the session and reports the server's error")
  func ended() async throws {
    let session = try await self.fixture.signIn()
    let events = await session.events
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant", description: "refresh-1 was revoked"))
    self.fixture.clock.advance(by: .seconds(700))
    let requirement = SignInRequirement.refused(
      OAuthErrorResponse(error: "invalid_grant", description: "<redacted> was revoked"))
    await #expect(throws: SessionError.signInRequired(requirement)) { try await session.accessToken() }
    await #expect(throws: SessionError.signInRequired(requirement)) { try await session.refresh() }
    #expect(try await self.fixture.client().restoreSession() == nil)
    var received: [SessionEvent] = []
    for await event in events { received.append(event) }
    #expect(received == [.ended(requirement)])
  }

  @Test("C-30: tokens that cannot be stored are used by this process, and the next refresh sends their refresh token")
  func unsaved() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    self.fixture.store.saveError = .failed(reason: "no space")
    // The new token is valid although it could not be stored, so this call must not throw an error.
    #expect(try await session.accessToken().reveal() == "access-2")
    self.fixture.store.saveError = nil
    self.fixture.clock.advance(by: .seconds(700))
    #expect(try await session.accessToken().reveal() == "access-3")
    #expect(self.fixture.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
  }

  @Test("the error of a failed refresh does not contain the session's tokens", arguments: Self.troubles)
  func errorsAreClean(_ trouble: Trouble) async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in trouble.outcome }
    let error = await #expect(throws: SessionError.self) { try await session.refresh() }
    let text = String(describing: error)
    #expect(!text.contains("refresh-1"))
    #expect(!text.contains("access-1"))
  }
}
