import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Step-up requests of an API", .timeLimit(.minutes(1)))
struct StepUpTests {
  private let fixture: SignInFixture
  private static let api = "https://api.example/notes"
  private let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// Signs in, and advances the clock by one minute. If the API then rejects the token, the token is old enough to be
  /// refreshed.
  private func session() async throws -> OAuthSession {
    let session = try await self.fixture.signIn(tokenOrigins: ["https://api.example/"])
    self.fixture.clock.advance(by: .seconds(60))
    return session
  }

  /// Makes the API return these challenges.
  private func respondAtAPI(_ challenges: [String], status: HTTPResponse.Status) {
    var fields = HTTPFields()
    fields[values: .wwwAuthenticate] = challenges
    self.fixture.transport.on(Self.api, respond: .body([], type: nil, status: status, headers: fields))
  }

  @Test(
    "RFC 6750 §3.1, RFC 9470 §3: the missing scope or authentication is reported, without a refresh or a second request",
    arguments: [
      (401, #"Bearer error="insufficient_scope", scope="admin""#, StepUp(scope: "admin")),
      (403, #"Bearer realm="x", error="insufficient_scope", scope="admin audit""#, StepUp(scope: "admin audit")),
      (403, #"bearer error=insufficient_scope"#, StepUp()),
      (403, #"DPoP error="insufficient_scope", scope="admin""#, StepUp(scope: "admin")),
      (
        401, #"Bearer error="insufficient_user_authentication", acr_values="myACR other", max_age="5""#,
        StepUp(acrValues: ["myACR", "other"], maxAge: .seconds(5))
      ),
      (401, #"Bearer error="insufficient_user_authentication", max_age=-1"#, StepUp()),
      (401, #"Bearer error="insufficient_user_authentication", max_age="soon""#, StepUp()),
      (401, #"Basic realm="x", Bearer error="insufficient_scope", scope="admin""#, StepUp(scope: "admin")),
    ])
  func required(status: Int, challenge: String, expected: StepUp) async throws {
    let session = try await self.session()
    self.respondAtAPI([challenge], status: HTTPResponse.Status(code: status))
    await #expect(throws: SessionError.stepUpRequired(expected)) { try await session.send(self.request) }
    #expect(self.fixture.transport.requests(to: Self.api).count == 1)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test(
    "a response that requires neither a step-up nor a new token is returned to the app",
    arguments: [
      (403, []), (403, [#"Bearer error="invalid_token""#]), (200, [#"Bearer error="insufficient_scope""#]),
      (401, [#"Bearer error="invalid_request""#]), (401, [#"Bearer error="x, error="insufficient_scope""#, "Bearer error=x"]),
      (400, [#"Bearer error="insufficient_scope""#]),
    ])
  func settled(status: Int, challenges: [String]) async throws {
    let session = try await self.session()
    self.respondAtAPI(challenges, status: HTTPResponse.Status(code: status))
    #expect(try await session.send(self.request).head.status.code == status)
    #expect(self.fixture.transport.requests(to: Self.api).count == 1)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test(
    "RFC 6750 §3.1: status 401 with invalid_token or without a reason causes one refresh",
    arguments: [
      [], [#"Bearer error="invalid_token", error_description="expired""#], ["Bearer"], [#"Bearer realm="x""#], ["Negotiate"],
      [#"Basic realm="x""#, #"Bearer error="invalid_token""#], [#"DPoP error="invalid_token""#], ["not a challenge ="],
    ])
  func refused(challenges: [String]) async throws {
    let session = try await self.session()
    self.respondAtAPI(challenges, status: .unauthorized)
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    #expect(try await session.send(self.request).head.status == .unauthorized)
    let sentTokens = self.fixture.transport.requests(to: Self.api).map { $0.head.headerFields[.authorization] }
    #expect(sentTokens == ["Bearer access-1", "Bearer access-2"])
  }

  @Test(
    "RFC 9470 §4: a sign-in with the options for a step-up requests the granted scope, the missing scope, and the required authentication"
  )
  func signInAgain() async throws {
    let session = try await self.session()
    let options = await session.options(for: StepUp(scope: "admin", acrValues: ["gold"], maxAge: .seconds(5)))
    #expect(options.scope == "openid offline_access admin")
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user, access: "access-2") {
      $0["acr"] = "gold"
      $0["auth_time"] = $0["iat"]
    }
    _ = try await self.fixture.client().signIn(options, via: user, receiver: user)
    #expect(user.parameters["acr_values"] == "gold")
    #expect(user.parameters["max_age"] == "5")
    #expect(user.parameters["claims"] == #"{"id_token":{"acr":{"essential":true,"values":["gold"]}}}"#)
  }

  @Test(
    "RFC 6750 §3.1, RFC 9470 §4: after a sign-in with the options for the step-up, the same request succeeds",
    arguments: [
      (403, #"Bearer error="insufficient_scope", scope="admin""#, "openid offline_access admin", nil, nil),
      (
        401, #"Bearer error="insufficient_user_authentication", acr_values="gold", max_age="5""#, "openid offline_access", "gold",
        "5"
      ),
      (
        403, #"Bearer error="insufficient_user_authentication", acr_values="gold", scope="admin""#,
        "openid offline_access admin", "gold", nil
      ),
    ] as [(Int, String, String, String?, String?)])
  func wholeRound(status: Int, challenge: String, scope: String, acrValues: String?, maxAge: String?) async throws {
    let first = try await self.session()
    self.fixture.transport.on(Self.api) { request in
      guard request.head.headerFields[.authorization] == "Bearer access-2" else {
        let fields: HTTPFields = [.wwwAuthenticate: challenge]
        return .success(.body([], type: nil, status: HTTPResponse.Status(code: status), headers: fields))
      }
      return .success(.json("[]"))
    }
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user, access: "access-2") {
      $0["acr"] = "gold"
      $0["auth_time"] = $0["iat"]
    }

    let client = try self.fixture.client(tokenOrigins: ["https://api.example/"])
    let response = try await Self.send(self.request, first) { try await client.signIn($0, via: user, receiver: user) }

    #expect(response.head.status == .ok)
    #expect(user.parameters["scope"] == scope)
    #expect(user.parameters["acr_values"] == acrValues)
    #expect(user.parameters["max_age"] == maxAge)
    let sentTokens = self.fixture.transport.requests(to: Self.api).map { $0.head.headerFields[.authorization] }
    #expect(sentTokens == ["Bearer access-1", "Bearer access-2"])
    // The new session replaced the first one in the store.
    let restored = try #require(try await self.fixture.client().restoreSession())
    #expect(try await restored.accessToken().reveal() == "access-2")
  }

  /// Sends a request, and signs in again if the API requires a step-up, as in the article FirstSteps.
  private static func send(
    _ request: HTTPRequest, _ session: OAuthSession, signIn: (SignInOptions) async throws -> OAuthSession
  ) async throws -> TransportResponse {
    do {
      return try await session.send(request)
    } catch {
      guard case .stepUpRequired(let stepUp) = error else { throw error }
      return try await signIn(await session.options(for: stepUp)).send(request)
    }
  }

  @Test(
    "OpenID Connect Core §3.1.3.7, items 12 and 13: an ID token without the requested authentication is rejected",
    arguments: [
      (["auth_time": .integer(1_800_000_000)], IDTokenError.authenticationContextMismatch),
      (["acr": "silver", "auth_time": .integer(1_800_000_000)], .authenticationContextMismatch),
      (["acr": "gold"], .authenticationTimeMissing), (["acr": "gold", "auth_time": 0], .authenticatedTooLongAgo),
      // Authenticated 66 seconds ago. The maximum age is 5 seconds, and a clock skew of 60 seconds is allowed.
      (["acr": "gold", "auth_time": .integer(1_799_999_934)], .authenticatedTooLongAgo),
    ] as [([String: JSONValue], IDTokenError)])
  func notReached(claims: [String: JSONValue], error: IDTokenError) async throws {
    var options = SignInOptions(scopes: [.openID], maxAge: .seconds(5))
    options.acrValues = ["gold"]
    options.requiresACR = true
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user) { token in for (name, value) in claims { token[name] = value } }
    await #expect(throws: SignInError.idToken(error)) {
      try await self.fixture.client().signIn(options, via: user, receiver: user)
    }
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("if acr_values are requested but not required, an ID token without acr does not cause an error")
  func requestedOnly() async throws {
    var options = SignInOptions(scopes: [.openID])
    options.acrValues = ["gold"]
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user)
    _ = try await self.fixture.client().signIn(options, via: user, receiver: user)
    #expect(user.parameters["acr_values"] == "gold")
    #expect(user.parameters["claims"] == nil)
  }

  @Test(
    "OpenID Connect Core §3.1.2.1: contradictory or invalid options are rejected before the browser opens",
    arguments: [
      (SignInOptions(scopes: [.openID], prompt: [.none, .login]), SignInError.promptConflict),
      (SignInOptions(scopes: [.openID], maxAge: .seconds(-1)), .maxAgeNegative),
    ])
  func contradictions(options: SignInOptions, error: SignInError) async throws {
    let user = try self.fixture.browser()
    await #expect(throws: error) {
      try await self.fixture.client().signIn(options, via: user, receiver: user)
    }
    #expect(user.opened.isEmpty)
  }

  @Test(
    "RFC 8707 §2: resources are part of the authorization, token, and refresh requests, and the token is sent only to their origins"
  )
  func resources() async throws {
    var options = SignInOptions(scopes: ["notes", .offlineAccess])
    options.resources = [try ResourceIndicator("https://api.example/notes"), try ResourceIndicator("urn:example:other")]
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user)
    let session = try await self.fixture.client().signIn(options, via: user, receiver: user)
    let expected = ["https://api.example/notes", "urn:example:other"]
    #expect(user.parameters.values(of: "resource") == expected)
    #expect(self.fixture.tokenRequests.last?.form?.values(of: "resource") == expected)
    let restored = try #require(try await self.fixture.client().restoreSession())
    try await restored.refresh()
    #expect(self.fixture.tokenRequests.last?.form?["grant_type"] == "refresh_token")
    #expect(self.fixture.tokenRequests.last?.form?.values(of: "resource") == expected)
    self.fixture.transport.on(Self.api, respond: .json("[]"))
    #expect(try await session.send(self.request).head.status == .ok)
    for authority in ["evil.example", "id.example", "api.example:8443"] {
      var request = self.request
      request.authority = authority
      await #expect(throws: SessionError.originNotAllowed) { try await session.send(request) }
    }
  }
}
