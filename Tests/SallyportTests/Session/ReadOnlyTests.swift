import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// The fixture's access tokens are valid for 600 seconds.
@Suite("Read-only sessions", .timeLimit(.minutes(1)))
struct ReadOnlyTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// Signs in, and also restores the session as read-only, as a widget of the app does.
  private func sessions() async throws -> (app: OAuthSession, widget: OAuthSession) {
    let app = try await self.fixture.signIn(tokenOrigins: ["https://api.example/"])
    let client = try self.fixture.client(tokenOrigins: ["https://api.example/"])
    let widget = try #require(try await client.restoreSession(readOnly: true))
    self.fixture.rotateStrictly()
    return (app, widget)
  }

  @Test("a read-only session uses the stored token and adopts tokens that the app refreshes")
  func adopts() async throws {
    let (app, widget) = try await self.sessions()
    #expect(try await widget.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await widget.accessToken().reveal() == "access-1", "access-1 is still valid for 30 seconds")
    try await app.refresh()
    #expect(try await widget.accessToken().reveal() == "access-2")
    #expect(widget.isReadOnly && !app.isReadOnly)
  }

  @Test("a read-only session adopts a newer token even if its remaining lifetime is shorter than requested")
  func adoptsShortLived() async throws {
    let (app, widget) = try await self.sessions()
    self.fixture.clock.advance(by: .seconds(300))
    try await app.refresh()
    // The new token is valid for 30 more seconds. By default, `accessToken` requests at least 60.
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await widget.accessToken().reveal() == "access-2")
  }

  @Test("if the stored token has expired, a read-only session sends no request, and the error says what to do")
  func expired() async throws {
    let (_, widget) = try await self.sessions()
    self.fixture.clock.advance(by: .seconds(700))
    let count = self.fixture.transport.requests.count
    await #expect(throws: SessionError.readOnly) { try await widget.accessToken() }
    await #expect(throws: SessionError.readOnly) { try await widget.refresh() }
    await #expect(throws: SessionError.readOnly) { try await widget.accessToken(for: .api("https://billing.example/")) }
    await #expect(throws: SessionError.readOnly) { try await widget.signOut() }
    #expect(self.fixture.transport.requests.count == count)
    #expect(SessionError.readOnly.explanation.advice.contains("Let the app refresh the tokens"))
    #expect(try await self.fixture.client().restoreSession() != nil)
  }

  @Test("a read-only session doesn't wait for the lease of a process that refreshes")
  func lease() async throws {
    let (app, widget) = try await self.sessions()
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      await gate.wait()
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let refresh = Task { try await app.refresh() }
    await self.fixture.transport.waitForRequests(2, to: SignInFixture.tokenURL)
    #expect(!self.fixture.store.heldLeases.isEmpty)
    await #expect(throws: SessionError.readOnly) { try await widget.accessToken() }
    gate.open()
    try await refresh.value
    #expect(try await widget.accessToken().reveal() == "access-2")
  }

  @Test("a read-only session returns the response of an API that rejects the token")
  func rejected() async throws {
    let (_, widget) = try await self.sessions()
    self.fixture.transport.on("https://api.example/", respond: .text("", status: .unauthorized))
    // A session that is not read-only would refresh a rejected token of this age.
    self.fixture.clock.advance(by: .seconds(60))
    let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/")
    #expect(try await widget.send(request).head.status == .unauthorized)
    #expect(self.fixture.refreshRequests.isEmpty)
  }

  @Test(
    "when its token has expired, a read-only session requires a sign-in if the app has signed out or there is no refresh token")
  func ended() async throws {
    let (app, widget) = try await self.sessions()
    try await app.signOut()
    self.fixture.clock.advance(by: .seconds(700))
    await #expect(throws: SessionError.signInRequired(.signedOut)) { try await widget.accessToken() }

    _ = try await self.fixture.signIn(refresh: nil)
    let next = try #require(try await self.fixture.client().restoreSession(readOnly: true))
    self.fixture.clock.advance(by: .seconds(700))
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await next.accessToken() }
  }
}
