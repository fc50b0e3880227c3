import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

/// All access tokens are valid for 600 seconds.
@Suite("Rejected requests for another API's token", .timeLimit(.minutes(1)))
struct TargetErrorTests {
  private let fixture: SignInFixture
  private let server = TargetServer()
  private let billing: TokenTarget

  init() throws {
    self.fixture = try SignInFixture()
    self.billing = try .api("https://billing.example/")
  }

  private func session(refresh: String? = "refresh-1") async throws -> OAuthSession {
    let session = try await self.fixture.signIn(refresh: refresh)
    self.server.serve(on: self.fixture.transport)
    return session
  }

  @Test(
    "invalid_target and invalid_scope are errors with advice, and the session is kept",
    arguments: ["invalid_target", "invalid_scope"])
  func refused(code: String) async throws {
    let session = try await self.session()
    self.server[rejecting: "https://billing.example/"] = SignInFixture.error(code)
    let error = await #expect(throws: SessionError.self) { try await session.accessToken(for: self.billing) }
    guard case .refused(let errorResponse) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(errorResponse.code.description == code)
    #expect(errorResponse.explanation.advice.hasPrefix("Request "))
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test(
    "if the server requires an interaction such as consent, with a standard error code or Microsoft's suberror, the session is kept",
    arguments: [
      #"{"error":"consent_required"}"#, #"{"error":"interaction_required"}"#,
      #"{"error":"invalid_grant","suberror":"consent_required"}"#, #"{"error":"invalid_grant","suberror":"basic_action"}"#,
    ])
  func consent(body: String) async throws {
    let session = try await self.session()
    self.server[rejecting: "https://billing.example/"] = .json(body, status: .badRequest)
    let error = await #expect(throws: SessionError.self) { try await session.accessToken(for: self.billing) }
    guard case .signInRequired(.interactionRequired(let errorResponse)) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(errorResponse.code == (body.contains("consent") ? .consentRequired : .interactionRequired))
    #expect(self.fixture.refreshRequests.count == 1)
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test(
    "after invalid_grant for another API's token, the session continues, unless its own token cannot be refreshed either")
  func invalidGrant() async throws {
    let session = try await self.session()
    self.server[rejecting: "https://billing.example/"] = SignInFixture.error("invalid_grant")
    let error = await #expect(throws: SessionError.self) { try await session.accessToken(for: self.billing) }
    guard case .signInRequired(.interactionRequired) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(try await session.accessToken().reveal() == "access-2")
    #expect(await session.isRenewable)

    // The empty string stands for a refresh of the session's own token.
    self.server[rejecting: ""] = SignInFixture.error("invalid_grant")
    let secondError = await #expect(throws: SessionError.self) { try await session.accessToken(for: self.billing) }
    guard case .signInRequired(.refused) = secondError else {
      return #expect(Bool(false), "\(String(describing: secondError))")
    }
    #expect(try await session.accessToken().reveal() == "access-2", "the session's own token is used until it expires")
    #expect(await !session.isRenewable)
    self.fixture.clock.advance(by: .seconds(700))
    await #expect(throws: SessionError.self) { try await session.accessToken() }
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("without a refresh token, there is no token for another API, and the session is kept")
  func noRefreshToken() async throws {
    let session = try await self.session(refresh: nil)
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await session.accessToken(for: self.billing) }
    #expect(try await session.accessToken().reveal() == "access-1")
  }

  @Test("a lost response to a request for another API's token is recorded")
  func lostResponse() async throws {
    let session = try await self.session()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in .failure(.timedOut) }
    await #expect(throws: SessionError.network(.timedOut)) { try await session.accessToken(for: self.billing) }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    self.fixture.clock.advance(by: .seconds(700))
    let next = try #require(try await self.fixture.client().restoreSession())
    let error = await #expect(throws: SessionError.self) { try await next.accessToken() }
    guard case .signInRequired(.refusedAfterLostResponse) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
  }

  @Test("if another API's token cannot be refreshed, it is used until it expires")
  func offline() async throws {
    let session = try await self.session()
    _ = try await session.accessToken(for: self.billing)
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in .failure(.timedOut) }
    // The token expires soon, so the session tries to refresh it.
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken(for: self.billing).value.reveal() == "billing.example-2")
  }
}
