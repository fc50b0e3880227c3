import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Error responses to a refresh", .timeLimit(.minutes(1)))
struct RefreshErrorTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// The ways in which servers send an error.
  enum Style: CaseIterable, Sendable {
    /// JSON with the status that the case names.
    case badRequest, ok, unauthorized, forbidden
    /// A URL-encoded form instead of JSON, with status 200.
    case form
    /// JSON with status 200 and a member `ok`, as in the API of Slack.
    case slack

    func response(_ code: String) -> TransportResponse {
      switch self {
      case .badRequest: SignInFixture.error(code)
      case .ok: SignInFixture.error(code, status: .ok)
      case .unauthorized: SignInFixture.error(code, status: .unauthorized)
      case .forbidden: SignInFixture.error(code, status: .forbidden)
      case .form: .body(Array("error=\(code)&error_uri=x".utf8), type: "application/x-www-form-urlencoded; charset=utf-8")
      case .slack: .json(#"{"ok":false,"error":"\#(code)"}"#)
      }
    }
  }

  /// Signs in, lets the access token expire, and requests an access token. The server rejects the refresh with this
  /// error.
  private func refresh(_ code: String, _ style: Style) async throws -> (session: OAuthSession, error: SessionError?) {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: style.response(code))
    self.fixture.clock.advance(by: .seconds(700))
    do throws(SessionError) {
      _ = try await session.accessToken()
      return (session, nil)
    } catch {
      return (session, error)
    }
  }

  private static func response(_ code: String) -> OAuthErrorResponse { OAuthErrorResponse(error: code, description: nil) }

  @Test(
    "an error code that means that the refresh token is invalid ends the session, whatever the status of the response",
    arguments: ["invalid_grant", "bad_refresh_token", "expired_token"], Style.allCases)
  func ends(_ code: String, _ style: Style) async throws {
    let (session, error) = try await self.refresh(code, style)
    #expect(error == .signInRequired(.refused(Self.response(code))))
    #expect(try await self.fixture.client().restoreSession() == nil)
    await #expect(throws: SessionError.signInRequired(.refused(Self.response(code)))) { try await session.accessToken() }
    #expect(self.fixture.refreshRequests.count == 1)
  }

  @Test(
    "if the server requires an interaction with the user, a sign-in is required, and the session is kept",
    arguments: ["interaction_required", "login_required", "consent_required"], Style.allCases)
  func needsUser(_ code: String, _ style: Style) async throws {
    let (session, error) = try await self.refresh(code, style)
    #expect(error == .signInRequired(.interactionRequired(Self.response(code))))
    #expect(try await self.fixture.client().restoreSession() != nil)
    self.fixture.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test("while the server requires an interaction with the user, a token that is still valid is used")
  func needsUserEarly() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("interaction_required"))
    // The token is valid for 30 more seconds, so the client already tries to refresh it.
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken().reveal() == "access-1")
  }

  @Test(
    "an error that does not concern the refresh token keeps the session, and the error is reported",
    arguments: ["invalid_client", "incorrect_client_credentials", "temporarily_unavailable", "server_error"], Style.allCases)
  func kept(_ code: String, _ style: Style) async throws {
    let (session, error) = try await self.refresh(code, style)
    #expect(error == .refused(Self.response(code)))
    self.fixture.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test(
    "a sign-in that the server denies at the token endpoint is reported as denied",
    arguments: ["access_denied", "authorization_declined"])
  func denied(_ code: String) async throws {
    let user = try self.fixture.browser()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error(code, status: .ok))
    await #expect(throws: SignInError.denied(Self.response(code))) {
      try await self.fixture.client().signIn(scopes: [.openID], via: user, receiver: user)
    }
  }
}
