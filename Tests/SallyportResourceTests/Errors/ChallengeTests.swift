import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportResource
import TestSupport
import Testing

struct ChallengeTests {
  private let metadataURL = "https://api.example/.well-known/oauth-protected-resource/notes"

  @Test("R-02: without a token, the challenge contains the schemes, the scope, and the metadata URL, but no error")
  func noToken() async throws {
    let fixture = try ResourceFixture()
    let requirement = AccessRequirement(scope: "notes:read")
    let rejection = try #require(await fixture.api().error(of: fixture.request([:]), requiring: requirement))
    #expect(rejection.status == .unauthorized && rejection.fields[.cacheControl] == "no-store")
    #expect(rejection.challenges.map(\.scheme) == ["Bearer", "DPoP"])
    for challenge in rejection.challenges {
      #expect(challenge["resource_metadata"] == self.metadataURL && challenge.scope == "notes:read" && challenge.error == nil)
    }
  }

  @Test("R-02: the challenge for an invalid token has the authentication scheme of the request")
  func badToken() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    for (request, scheme) in [(fixture.bearer("x"), "Bearer"), (fixture.bound("x"), "DPoP")] {
      let rejection = await api.error(of: request)
      #expect(rejection?.challenges.map(\.scheme) == [scheme] && rejection?.challenges.first?.error == .invalidToken)
      #expect(rejection?.challenges.first?["resource_metadata"] == self.metadataURL)
    }
  }

  @Test("R-02: the response to an invalid token repeats no part of the token and does not reveal the exact problem")
  func silence() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let tokens = try [
      fixture.token(["sub": "verysecret", "aud": "x"]), fixture.token(["exp": 1]), fixture.token(key: .es256(id: "es-1")), "abc",
    ]
    var responses: Set<String> = []
    for token in tokens {
      let rejection = try #require(await api.error(of: fixture.bearer(token)))
      responses.insert(rejection.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
      #expect(!"\(rejection.reason)".contains("verysecret") && !"\(rejection.reason)".contains(token))
    }
    #expect(responses.count == 1)
  }

  @Test("R-02: a token without the required scope gets status 403 with the required scope")
  func scope() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let request = fixture.bearer(try fixture.token(["scope": "notes:read"]))
    #expect(await api.error(of: request, requiring: AccessRequirement(scope: "notes:read")) == nil)
    let requirement = AccessRequirement(scope: "notes:read notes:write")
    let rejection = try #require(await api.error(of: request, requiring: requirement))
    #expect(rejection.reason == .insufficientScope(required: requirement.scope) && rejection.status == .forbidden)
    let challenge = try #require(rejection.challenges.first)
    #expect(challenge.error == .insufficientScope && challenge.scope == requirement.scope)
    #expect(challenge["resource_metadata"] == self.metadataURL)
    let none = fixture.bearer(try fixture.token(["scope": nil]))
    #expect(await api.error(of: none, requiring: requirement)?.status == .forbidden)
  }

  @Test("a client that requests exactly the scope of the challenge keeps the scope that it has")
  func grantedScope() async throws {
    let fixture = try ResourceFixture()
    let request = fixture.bearer(try fixture.token(["scope": "calendar notes:read"]))
    let requirement = AccessRequirement(scope: "notes:read notes:write")
    let rejection = try #require(await fixture.api().error(of: request, requiring: requirement))
    #expect(rejection.reason == .insufficientScope(required: requirement.scope) && rejection.status == .forbidden)
    #expect(rejection.challenges.map(\.scope) == ["calendar notes:read notes:write"])
  }

  @Test("R-02: a part of the API can require an additional scope of a token that was already accepted")
  func parts() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try await api.authorize(fixture.bearer(fixture.token()))
    try api.require(AccessRequirement(scope: "notes:write"), of: token)
    let error = #expect(throws: AccessError.self) { try api.require(AccessRequirement(scope: "admin"), of: token) }
    #expect(error?.status == .forbidden && error?.challenges.map(\.scheme) == ["Bearer"])
  }

  @Test(
    "R-02: RFC 9470: the challenge says which authentication is required",
    arguments: [
      (["acr": "mfa", "auth_time": 1_799_999_990], true), (["acr": "pwd", "auth_time": 1_799_999_990], false),
      (["auth_time": 1_799_999_990], false), (["acr": "mfa"], false), (["acr": "mfa", "auth_time": 1_799_999_669], false),
      (["acr": "mfa", "auth_time": 1_799_999_670], true), (["acr": "hwk", "auth_time": 1_799_999_700], true),
    ] as [([String: JSONValue?], Bool)])
  func stepUp(claims: [String: JSONValue?], isEnough: Bool) async throws {
    let fixture = try ResourceFixture()
    // The clock shows 1,800,000,000 seconds since 1970, and the tolerated clock difference is 30 seconds, so the
    // earliest accepted `auth_time` is 1,799,999,670.
    let requirement = AccessRequirement(acrValues: ["mfa", "hwk"], maxAge: .seconds(300))
    let rejection = try await fixture.api().error(of: fixture.bearer(fixture.token(claims)), requiring: requirement)
    #expect((rejection == nil) == isEnough)
    guard let rejection else { return }
    let challenge = try #require(rejection.challenges.first)
    #expect(rejection.status == .unauthorized && challenge.error == .insufficientUserAuthentication)
    #expect(challenge["acr_values"] == "mfa hwk" && challenge["max_age"] == "300")
  }
}
