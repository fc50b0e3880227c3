import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportResource
import TestSupport
import Testing

struct AccessTokenTests {
  @Test("R-01: a valid token is accepted, and its claims are available", arguments: ["ES256", "RS256"])
  func good(algorithm: String) async throws {
    let fixture = try ResourceFixture()
    let key = algorithm == "ES256" ? fixture.issuer.es256 : fixture.issuer.rs256
    let text = try fixture.token(["auth_time": 1_799_999_000, "acr": "mfa", "amr": ["pwd", "otp"], "team": "red"], key: key)
    let token = try await fixture.api().authorize(fixture.bearer(text))
    #expect(token.subject == "ada" && token.clientID == "app" && token.issuer == fixture.issuer.issuer && token.id == "t-1")
    #expect(token.scope == "notes:read notes:write" && token.audience == [fixture.resource] && token.keyThumbprint == nil)
    #expect(token.authenticationTime == Timestamp(seconds: 1_799_999_000) && token.authenticationContext == "mfa")
    #expect(token.authenticationMethods == ["pwd", "otp"] && token.expiration == Timestamp(seconds: 1_800_000_300))
    struct CustomClaims: Decodable { let team: String }
    #expect(try token.claims(as: CustomClaims.self).team == "red")
  }

  /// A change to a valid token's claims.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var changes: [String: JSONValue?]
    /// Nil if the token is accepted.
    var error: AccessTokenError?

    init(_ name: String, _ changes: [String: JSONValue?], _ error: AccessTokenError?) {
      (self.testDescription, self.changes, self.error) = (name, changes, error)
    }
  }

  /// The clock shows 1,800,000,000 seconds since 1970, and the tolerated clock difference is 30 seconds. `nil`
  /// removes a claim, and `.some(nil)` sets it to the JSON value null.
  static let rows: [Row] = [
    Row("another issuer", ["iss": "https://evil.example"], .issuerNotTrusted),
    Row("the issuer with a trailing slash", ["iss": "https://id.example/"], .issuerNotTrusted),
    Row("the issuer's host in uppercase", ["iss": "https://ID.example"], .issuerNotTrusted),
    Row("no issuer", ["iss": nil], .claimsMalformed),
    Row("an issuer that is null", ["iss": .some(nil)], .claimsMalformed),
    Row("an issuer that is a list", ["iss": ["https://id.example"]], .claimsMalformed),
    Row("an empty subject", ["sub": ""], .identifierInvalid),
    Row("no subject", ["sub": nil], .claimsMalformed),
    Row("a subject that is a number", ["sub": 7], .claimsMalformed),
    Row("a subject of 2,049 characters", ["sub": .string(String(repeating: "a", count: 2049))], .identifierInvalid),
    Row("another API", ["aud": "https://other.example/"], .audienceMismatch),
    Row("the issuer as the audience", ["aud": "https://id.example"], .audienceMismatch),
    Row("the client as the audience", ["aud": "app"], .audienceMismatch),
    Row("the API with a trailing slash", ["aud": "https://api.example/notes/"], .audienceMismatch),
    Row("the API's host alone", ["aud": "https://api.example"], .audienceMismatch),
    Row("a path below the API", ["aud": "https://api.example/notes/1"], .audienceMismatch),
    Row("the API's host in uppercase", ["aud": "https://API.example/notes"], .audienceMismatch),
    Row("no audience", ["aud": nil], .claimsMalformed),
    Row("an empty list of audiences", ["aud": []], .audienceMismatch),
    Row("an audience that is an object", ["aud": ["https://api.example/notes": true]], .claimsMalformed),
    Row("this API among others", ["aud": ["https://other.example/", "https://api.example/notes"]], nil),
    Row("expired 30 seconds ago", ["exp": 1_799_999_970], .expired),
    Row("expired 29 seconds ago", ["exp": 1_799_999_971], nil),
    Row("expired long ago", ["exp": 1], .expired),
    Row("a negative expiration", ["exp": -1], .expired),
    Row("no expiration", ["exp": nil], .claimsMalformed),
    Row("an expiration that is a string", ["exp": "1800000300"], .claimsMalformed),
    Row("an expiration in the far future", ["exp": 1e300], nil),
    Row("issued 31 seconds in the future", ["iat": 1_800_000_031], .issuedInFuture),
    Row("issued 30 seconds in the future", ["iat": 1_800_000_030], nil),
    Row("no time of issue", ["iat": nil], .claimsMalformed),
    Row("not valid for another 31 seconds", ["nbf": 1_800_000_031], .notYetValid),
    Row("not valid for another 30 seconds", ["nbf": 1_800_000_030], nil),
    Row("no client", ["client_id": nil], .claimsMalformed),
    Row("an empty client", ["client_id": ""], .identifierInvalid),
    Row("no token identifier", ["jti": nil], .claimsMalformed),
    Row("an empty token identifier", ["jti": ""], .identifierInvalid),
    Row("no scope, which RFC 9068 allows", ["scope": nil], nil),
    Row("a scope that is null", ["scope": .some(nil)], nil),
    Row("a scope that is a list", ["scope": ["notes:read"]], .claimsMalformed),
    Row("a scope with a quote", ["scope": "notes:\"read"], .scopeMalformed),
    Row("bound to a certificate, which this library cannot check", ["cnf": ["x5t#S256": "abc"]], .claimsMalformed),
    Row("a confirmation that is a string", ["cnf": "abc"], .claimsMalformed),
  ]

  @Test("R-01: the claims of a token are checked", arguments: Self.rows)
  func claims(row: Row) async throws {
    let fixture = try ResourceFixture()
    let rejection = try await fixture.api().error(of: fixture.bearer(fixture.token(row.changes)))
    #expect(rejection?.reason == row.error.map { .token($0) })
    #expect(rejection == nil || rejection?.status == .unauthorized)
  }

  @Test(
    "R-01: ID tokens and other kinds of JWTs of the same issuer are rejected",
    arguments: ["JWT", "jwt", "dpop+jwt", "logout+jwt", "at+jwt ", "application/jwt", "at", "", nil] as [String?])
  func type(name: String?) async throws {
    let fixture = try ResourceFixture()
    let token = try fixture.token(header: ["typ": name.map { .string($0) } ?? .null])
    #expect(try await fixture.api().error(of: fixture.bearer(token))?.reason == .token(.typeMismatch))
  }

  @Test(
    "R-01: the type can have any spelling that RFC 7515 §4.1.9 allows", arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
  func typeSpelling(name: String) async throws {
    let fixture = try ResourceFixture()
    let token = try fixture.token(header: ["typ": .string(name)])
    #expect(try await fixture.api().error(of: fixture.bearer(token)) == nil)
  }

  @Test("R-01: if an API trusts two issuers, each is trusted only with its own keys")
  func otherIssuersKey() async throws {
    let fixture = try ResourceFixture()
    let other = try TestIssuer("https://other.example")
    other.publish(on: fixture.transport)
    let api = try fixture.api([TrustedIssuer(fixture.issuer.issuer), TrustedIssuer(other.issuer)])
    #expect(try await api.error(of: fixture.bearer(fixture.token())) == nil)
    let own = try fixture.token(["iss": "https://other.example"], key: other.es256)
    #expect(try await api.authorize(fixture.bearer(own)).issuer == other.issuer)
    for token in [try fixture.token(key: other.es256), try fixture.token(["iss": "https://other.example"])] {
      #expect(await api.error(of: fixture.bearer(token))?.reason == .token(.signatureInvalid))
    }
  }

  @Test("invalid configurations are rejected: no issuer, a repeated issuer, or several issuers that get opaque tokens")
  func configuration() throws {
    let fixture = try ResourceFixture()
    let issuer = TrustedIssuer(fixture.issuer.issuer)
    #expect(throws: ResourceServerError.noIssuer) { try fixture.api([]) }
    #expect(throws: ResourceServerError.repeatedIssuer) { try fixture.api([issuer, issuer]) }
    func introspecting(_ url: String, _ tokens: IntrospectionPolicy.CheckedTokens, opaque: Bool = false) throws -> TrustedIssuer {
      let policy = IntrospectionPolicy(
        clientID: "api", clientSecret: Secret("s"), for: tokens, includesOpaqueTokens: opaque)
      return TrustedIssuer(try Issuer(url), introspection: policy)
    }
    let first = try introspecting("https://a.example", .opaqueTokens)
    for second in try [
      introspecting("https://b.example", .opaqueTokens), introspecting("https://b.example", .everyToken, opaque: true),
    ] {
      #expect(throws: ResourceServerError.severalIntrospectingIssuers) { try fixture.api([first, second]) }
    }
    // Each issuer gets only tokens that it signed.
    _ = try fixture.api([first, introspecting("https://b.example", .everyToken), introspecting("https://c.example", .everyToken)])
  }
}
