import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Requests that the app sends itself", .timeLimit(.minutes(1)))
struct AuthorizationTests {
  private static let stream = "https://api.example/stream"

  private static func challenge(_ text: String, status: HTTPResponse.Status = .unauthorized) -> HTTPResponse {
    HTTPResponse(status: status, headerFields: [.wwwAuthenticate: text])
  }

  @Test("RFC 6750 §2.1: the token is in the header field, and the descriptions of a RequestAuthorization do not contain it")
  func bearer() async throws {
    let session = try await SignInFixture().signIn(tokenOrigins: ["https://api.example/"])
    let authorization = try await session.authorization(for: .get, try EndpointURL(Self.stream))
    #expect(authorization.fields.reveal() == [.authorization: "Bearer access-1"])
    #expect(!"\(authorization)".contains("access-1") && !String(reflecting: authorization).contains("access-1"))
    var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/stream")
    request.headerFields = [.authorization: "Basic evil", .dpop: "evil", .accept: "text/event-stream"]
    authorization.apply(to: &request)
    #expect(request.headerFields == [.accept: "text/event-stream", .authorization: "Bearer access-1"])
  }

  @Test(
    "C-34: the SDK returns no header fields for a request to another origin",
    arguments: ["https://evil.example/", "https://api.example:8443/stream", "https://id.example/", "http://127.0.0.1/"])
  func otherOrigins(url: String) async throws {
    let session = try await SignInFixture().signIn(tokenOrigins: ["https://api.example/"])
    await #expect(throws: SessionError.originNotAllowed) {
      try await session.authorization(for: .get, try EndpointURL(url))
    }
  }

  /// - Parameter afterRejection: Whether the API has rejected the first token.
  @Test(
    "C-34: after the session adopts the tokens of another sign-in, they are used only for the APIs of that sign-in",
    arguments: [false, true])
  func adopted(afterRejection: Bool) async throws {
    let fixture = try SignInFixture()
    let url = try EndpointURL(Self.stream)
    let session = try await fixture.signIn(tokenOrigins: ["https://api.example/"])
    let first = try await session.authorization(for: .get, url)
    // The first token expires in five seconds, so the session looks for newer tokens in the store.
    fixture.clock.advance(by: .seconds(595))
    let user = try fixture.browser()
    var options = SignInOptions(scopes: [.openID])
    options.resources = [try ResourceIndicator("https://other.example/")]
    options.revokesReplaced = false
    fixture.grantTokens(to: user, access: "other-1")
    _ = try await fixture.client().signIn(options, via: user, receiver: user)
    await #expect(throws: SessionError.originNotAllowed) {
      if afterRejection {
        _ = try await session.authorization(after: Self.challenge(#"Bearer error="invalid_token""#), to: first)
      } else {
        _ = try await session.authorization(for: .get, url)
      }
    }
    let other = try await session.authorization(for: .get, try EndpointURL("https://other.example/"))
    #expect(other.fields.reveal()[.authorization] == "Bearer other-1")
  }

  @Test("a token that expires in five seconds is refreshed before it is used")
  func refreshed() async throws {
    let fixture = try SignInFixture()
    let session = try await fixture.signIn(tokenOrigins: ["https://api.example/"])
    fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    fixture.clock.advance(by: .seconds(595))
    let authorization = try await session.authorization(for: .get, try EndpointURL(Self.stream))
    #expect(authorization.fields.reveal()[.authorization] == "Bearer access-2")
  }

  @Test(
    "RFC 6750 §3.1: after a rejection, a request is repeated only once with a new token; insufficient_scope requires a step-up")
  func refused() async throws {
    let fixture = try SignInFixture()
    let session = try await fixture.signIn(tokenOrigins: ["https://api.example/"])
    let first = try await session.authorization(for: .get, try EndpointURL(Self.stream))
    #expect(try await session.authorization(after: HTTPResponse(status: .ok), to: first) == nil)
    #expect(try await session.authorization(after: HTTPResponse(status: .notFound), to: first) == nil)
    fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    // A rejected token is refreshed only if it is more than ten seconds old.
    fixture.clock.advance(by: .seconds(60))
    let errorResponse = Self.challenge(#"Bearer error="invalid_token""#)
    let second = try #require(try await session.authorization(after: errorResponse, to: first))
    #expect(second.fields.reveal()[.authorization] == "Bearer access-2")
    // The second token is old enough too, but the request was already retried.
    fixture.clock.advance(by: .seconds(60))
    #expect(try await session.authorization(after: errorResponse, to: second) == nil)
    #expect(fixture.tokenRequests.count == 2)
    await #expect(throws: SessionError.stepUpRequired(StepUp(scope: "admin"))) {
      try await session.authorization(
        after: Self.challenge(#"Bearer error="insufficient_scope", scope="admin""#, status: .forbidden), to: second)
    }
  }

  @Test(
    "RFC 9449 §7.1, §9: the proof is for this method and URL, and a request is repeated once with the nonce that the API asks for"
  )
  func proof() async throws {
    let server = try DPoPServer()
    let user = try server.fixture.browser()
    server.grantTokens(to: user)
    let session = try await server.client().signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
    let url = try EndpointURL("\(Self.stream)?page=2")
    let first = try await session.authorization(for: .post, url)
    #expect(first.fields.reveal()[.authorization] == "DPoP access-1")

    func check(_ authorization: RequestAuthorization, nonce: String?) throws {
      let proof = try #require(try DPoPProof.proof(in: authorization.fields.reveal()))
      _ = try ValidatedDPoPProof(
        proof,
        expecting: DPoPExpectations(
          target: try #require(DPoPTarget(method: "POST", url: Self.stream)), accessToken: Secret("access-1"),
          keyThumbprint: user.parameters["dpop_jkt"], nonces: nonce.map { [$0] }, maximumAge: .seconds(60)),
        at: server.fixture.clock.now)
    }
    try check(first, nonce: nil)
    let nonceChallenge = DPoPServer.challenge("use_dpop_nonce", nonce: "n-1").head
    let second = try #require(try await session.authorization(after: nonceChallenge, to: first))
    try check(second, nonce: "n-1")
    // A request is repeated only once with a nonce. The next request uses the latest nonce, even if the API sent it in
    // a successful response.
    #expect(try await session.authorization(after: DPoPServer.challenge("use_dpop_nonce", nonce: "n-2").head, to: second) == nil)
    try check(try await session.authorization(for: .post, url), nonce: "n-2")
    _ = try await session.authorization(
      after: HTTPResponse(status: .ok, headerFields: [.dpopNonce: "n-3"]), to: second)
    try check(try await session.authorization(for: .post, url), nonce: "n-3")
  }
}
