import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

struct IDTokenVerifierTests {
  @Test("C-29: a valid ID token yields its claims", arguments: ["ES256", "RS256"])
  func good(algorithm: String) async throws {
    let fixture = try IDTokenFixture()
    let key = algorithm == "ES256" ? fixture.issuer.es256 : fixture.issuer.rs256
    let token = try fixture.issuer.token(fixture.claims(["name": "Ada", "email_verified": true]), key: key)
    let claims = try await fixture.verifier().verify(token, expecting: IDTokenExpectations(nonce: "n-1"))
    #expect(claims.subject == "ada")
    #expect(claims.audience == Audience(["notes"]))
    #expect(claims.name == "Ada")
    #expect(claims.emailVerified == true)
  }

  /// Changes to valid claims, and the error that they cause, or `nil` if the token is still accepted. The value `nil`
  /// removes a claim, and `.some(nil)` sets it to the JSON value null, which must be treated like a missing claim.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var changes: [String: JSONValue?]
    var error: IDTokenError?

    init(_ name: String, _ changes: [String: JSONValue?], _ error: IDTokenError?) {
      (self.testDescription, self.changes, self.error) = (name, changes, error)
    }
  }

  /// The clock shows 1,800,000,000 seconds since 1970, and the tolerated clock difference is 60 seconds.
  static let claimRows: [Row] = [
    Row("another issuer", ["iss": "https://evil.example"], .issuerMismatch),
    Row("the issuer with a trailing slash", ["iss": "https://id.example/"], .issuerMismatch),
    Row("the issuer's host in uppercase", ["iss": "https://ID.example"], .issuerMismatch),
    Row("no issuer", ["iss": nil], .claimsMalformed),
    Row("an issuer that is null", ["iss": .some(nil)], .claimsMalformed),
    Row("an empty subject", ["sub": ""], .subjectInvalid),
    Row("a subject of 256 characters", ["sub": .string(String(repeating: "a", count: 256))], .subjectInvalid),
    Row("a subject that is a number", ["sub": 7], .claimsMalformed),
    Row("another audience", ["aud": "other"], .audienceMismatch),
    Row("an audience that begins with the client identifier", ["aud": "notes2"], .audienceMismatch),
    Row("an empty list of audiences", ["aud": []], .audienceMismatch),
    Row("an audience that is an object", ["aud": ["notes": true]], .claimsMalformed),
    Row("two audiences without azp", ["aud": ["notes", "other"]], .authorizedPartyMissing),
    Row("two audiences and another azp", ["aud": ["notes", "other"], "azp": "other"], .authorizedPartyMismatch),
    Row("one audience and another azp", ["azp": "other"], .authorizedPartyMismatch),
    Row("two audiences and this client as azp", ["aud": ["notes", "other"], "azp": "notes"], nil),
    Row("a list with this client as the only audience", ["aud": ["notes"]], nil),
    Row("expired 60 seconds ago", ["exp": 1_799_999_940], .expired),
    Row("expired 59 seconds ago", ["exp": 1_799_999_941], nil),
    Row("expired long ago", ["exp": 1], .expired),
    Row("a negative expiration", ["exp": -1], .expired),
    Row("no expiration", ["exp": nil], .claimsMalformed),
    Row("an expiration that is null", ["exp": .some(nil)], .claimsMalformed),
    Row("an expiration that is a string", ["exp": "1800000300"], .claimsMalformed),
    Row("issued 61 seconds in the future", ["iat": 1_800_000_061], .issuedInFuture),
    Row("issued 60 seconds in the future", ["iat": 1_800_000_060], nil),
    Row("not valid for another 61 seconds", ["nbf": 1_800_000_061], .notYetValid),
    Row("not valid for another 60 seconds", ["nbf": 1_800_000_060], nil),
    Row("no time of issue", ["iat": nil], .claimsMalformed),
    Row("a time of issue that is null", ["iat": .some(nil)], .claimsMalformed),
    Row("another nonce", ["nonce": "n-2"], .nonceMismatch),
    Row("a longer nonce", ["nonce": "n-1 "], .nonceMismatch),
    Row("no nonce", ["nonce": nil], .nonceMismatch),
    Row("a nonce that is null", ["nonce": .some(nil)], .nonceMismatch),
    Row("times with fractions", ["exp": 1_800_000_000.5, "iat": 1_799_999_999.25], nil),
    Row("the largest integer as expiration", ["exp": .integer(.max)], nil),
    Row("the largest numbers", ["exp": 1e308, "auth_time": 1e308], nil),
    Row("the smallest numbers", ["iat": -1e308, "auth_time": .integer(.min)], nil),
    Row("the smallest number as expiration", ["exp": -1e308], .expired),
    Row("the largest integer as time of issue", ["iat": .integer(.max)], .issuedInFuture),
    Row("the largest number as time of issue", ["iat": 1e308], .issuedInFuture),
    Row("the largest number as nbf", ["nbf": 1e308], .notYetValid),
  ]

  @Test("C-29: a token with an invalid claim is rejected with the error for that claim", arguments: Self.claimRows)
  func claims(row: Row) async throws {
    let fixture = try IDTokenFixture()
    let token = try fixture.issuer.token(fixture.claims(row.changes))
    await self.expect(row.error, of: token, fixture)
  }

  @Test("C-29: a payload that is not a JSON object is rejected", arguments: ["", "null", "[]", "7", "{", "\"x\"", "\u{FF}"])
  func payloads(payload: String) async throws {
    let fixture = try IDTokenFixture()
    let header = #"{"alg":"ES256","kid":"es-1"}"#
    let token = try TestIssuer.sign(header: header.utf8, payload: payload.utf8, key: fixture.issuer.es256)
    await self.expect(.claimsMalformed, of: token, fixture)
  }

  @Test("C-29: alg none is rejected in every spelling", arguments: ["none", "None", "NONE", "nOnE", ""])
  func algorithmNone(spelling: String) async throws {
    let fixture = try IDTokenFixture()
    let token = try fixture.issuer.token(fixture.claims, key: .none(id: "es-1"), header: ["alg": .string(spelling)])
    await self.expect(.algorithmNotAllowed, of: token, fixture)
    await self.expect(.algorithmNotAllowed, of: token, fixture, allowing: nil)
    await self.expect(.algorithmNotAllowed, of: token, fixture, allowing: [spelling])
  }

  @Test("C-29: an HMAC with the public key is rejected, even if the issuer announces HS256")
  func hmacWithPublicKey() async throws {
    let fixture = try IDTokenFixture()
    for key in [fixture.issuer.es256, fixture.issuer.rs256] {
      // The x-coordinate of the EC key, or the modulus of the RSA key.
      let secrets = [key.jwk["x"], key.jwk["n"]].compactMap { value -> [UInt8]? in
        guard case .string(let text)? = value else { return nil }
        return Base64URL.decode(text)
      }
      let secret = try #require(secrets.first)
      let token = try fixture.issuer.token(fixture.claims, key: .hmac(secret: secret, id: key.id))
      await self.expect(.algorithmNotAllowed, of: token, fixture, allowing: ["ES256", "RS256", "HS256"])
      await self.expect(.algorithmNotAllowed, of: token, fixture, allowing: nil)
    }
  }

  @Test("C-29: an algorithm that the issuer does not announce is rejected")
  func notAnnounced() async throws {
    let fixture = try IDTokenFixture()
    let token = try fixture.issuer.token(fixture.claims, key: fixture.issuer.rs256)
    await self.expect(.algorithmNotAllowed, of: token, fixture, allowing: ["ES256"])
    await self.expect(nil, of: token, fixture, allowing: nil)
  }

  @Test("C-29: a critical header parameter is rejected", arguments: [["exp"], ["b64"], [], nil] as [JSONValue])
  func critical(value: JSONValue) async throws {
    let fixture = try IDTokenFixture()
    let token = try fixture.issuer.token(fixture.claims, header: ["crit": value, "b64": true])
    await self.expect(.criticalHeader, of: token, fixture)
  }

  @Test("C-29: a key in the header is ignored", arguments: ["jwk", "jku", "x5u"])
  func embeddedKey(parameter: String) async throws {
    let fixture = try IDTokenFixture()
    let attackersKey = TestSigningKey.es256(id: "es-1")
    let value = parameter == "jwk" ? attackersKey.jwk : "https://evil.example/jwks"
    fixture.transport.on("https://evil.example/jwks", respond: .json(encoding: TestIssuer.jwks([attackersKey])))
    let token = try fixture.issuer.token(fixture.claims, key: attackersKey, header: [parameter: value])
    await self.expect(.signatureInvalid, of: token, fixture)
    #expect(fixture.transport.requests(to: "https://evil.example/jwks").isEmpty)
  }

  @Test("C-29: a signature that is not valid base64url is reported as an invalid signature", arguments: ["AB", "+/==", "*"])
  func malformedSignature(signature: String) async throws {
    let fixture = try IDTokenFixture()
    let parts = try fixture.issuer.token(fixture.claims).reveal().split(separator: ".")
    let token = "\(parts[0]).\(parts[1]).\(signature)"
    await self.expect(.signatureInvalid, of: Secret(token), fixture)
  }

  @Test("C-29: a token whose key is not published, or whose kid names a key for another algorithm, is rejected")
  func foreignKey() async throws {
    let fixture = try IDTokenFixture()
    let unknown = try fixture.issuer.token(fixture.claims, key: .es256(id: "es-9"))
    await self.expect(.key(.unknownKey), of: unknown, fixture)
    let sameID = try fixture.issuer.token(fixture.claims, key: .es256(id: "es-1"))
    await self.expect(.signatureInvalid, of: sameID, fixture)
    let withoutID = try fixture.issuer.token(fixture.claims, key: .es256(id: nil))
    await self.expect(.signatureInvalid, of: withoutID, fixture)
    let otherAlgorithm = try fixture.issuer.token(fixture.claims, header: ["kid": "rs-1"])
    await self.expect(.key(.unsuitableKey), of: otherAlgorithm, fixture)
  }

  @Test("C-29: a changed byte anywhere in the header, the payload, or the signature is detected")
  func tampering() async throws {
    let fixture = try IDTokenFixture()
    let verifier = try fixture.verifier()
    let text = try fixture.issuer.token(fixture.claims).reveal()
    let parts = text.split(separator: ".").map { String($0) }
    for index in parts.indices {
      let bytes = try #require(Base64URL.decode(parts[index]))
      for position in bytes.indices {
        var changed = bytes
        changed[position] ^= 1
        var token = parts
        token[index] = Base64URL.encode(changed)
        let secret = Secret(token.joined(separator: "."))
        await #expect(throws: IDTokenError.self) {
          try await verifier.verify(secret, expecting: IDTokenExpectations(nonce: "n-1"))
        }
      }
    }
  }

  @Test("C-29: if at_hash is present, it must match the access token")
  func accessTokenHash() async throws {
    let fixture = try IDTokenFixture()
    let verifier = try fixture.verifier()
    let access = Secret("the access token")
    let good = try #require(AccessTokenHash.of(access, algorithm: "ES256"))
    for (claim, token, error) in [
      (.string(good), access, nil),
      (.string(good), Secret("another access token"), .accessTokenHashMismatch),
      ("AAAAAAAAAAAAAAAAAAAAAA", access, .accessTokenHashMismatch),
      ("", access, .accessTokenHashMismatch),
      (nil, access, nil),
      (.some(.null), access, nil),
    ] as [(JSONValue?, Secret<String>, IDTokenError?)] {
      let idToken = try fixture.issuer.token(fixture.claims(["at_hash": claim]))
      let found = await Self.error {
        try await verifier.verify(idToken, expecting: IDTokenExpectations(nonce: "n-1", accessToken: token))
      }
      #expect(found == error)
    }
  }

  static let refreshRows: [Row] = [
    Row("the same user", [:], nil),
    Row("no nonce, as OpenID Connect Core §12.2 recommends", ["nonce": nil], nil),
    Row("a nonce that is null", ["nonce": .some(nil)], nil),
    Row("another user", ["sub": "eve"], .changed(.subject)),
    Row("an additional audience", ["aud": ["notes", "other"], "azp": "notes"], .changed(.audience)),
    Row("another nonce", ["nonce": "n-2"], .changed(.nonce)),
    Row("another issuer", ["iss": "https://evil.example"], .issuerMismatch),
  ]

  @Test(
    "C-33: a refreshed ID token must have the same issuer, subject, and audience, and no different nonce",
    arguments: Self.refreshRows)
  func refreshed(row: Row) async throws {
    let fixture = try IDTokenFixture()
    let verifier = try fixture.verifier()
    let first = try await verifier.verify(
      try fixture.issuer.token(fixture.claims), expecting: IDTokenExpectations(nonce: "n-1"))
    let token = try fixture.issuer.token(fixture.claims(row.changes))
    let error = await Self.error {
      try await verifier.verify(token, expecting: IDTokenExpectations(nonce: nil, previous: first))
    }
    #expect(error == row.error)
  }

  @Test("C-33: the issuer of a refreshed ID token must equal that of the first ID token, not only the configured issuer")
  func refreshedOtherIssuer() async throws {
    let fixture = try IDTokenFixture()
    var first = IDTokenClaims(
      issuer: "https://other.example", subject: "ada", audience: Audience(["notes"]), expiration: 0, issuedAt: 0)
    first.nonce = nil
    let token = try fixture.issuer.token(fixture.claims)
    let verifier = try fixture.verifier()
    let error = await Self.error { [first] in
      try await verifier.verify(token, expecting: IDTokenExpectations(nonce: nil, previous: first))
    }
    #expect(error == .changed(.issuer))
  }

  @Test(
    "OpenID Connect Core §3.1.3.7 item 13: with a maximum age, auth_time must be recent; extreme values do not overflow",
    // `auth_time`, the maximum age, and the error. A clock difference of 60 seconds is tolerated.
    arguments: [
      (1_799_999_900, .seconds(60), nil), (1_799_999_880, .seconds(60), nil),
      (1_799_999_879, .seconds(60), .authenticatedTooLongAgo), (1_799_999_879, .milliseconds(61_000), nil),
      (1_799_999_879, .milliseconds(60_500), .authenticatedTooLongAgo), (.null, .seconds(60), .authenticationTimeMissing),
      (1, .seconds(Int64.max) + .seconds(60), nil), (.integer(.min), .seconds(60), .authenticatedTooLongAgo),
      (-1e308, .seconds(Int64.max), .authenticatedTooLongAgo), (.integer(.max), .zero, nil), (1e308, .zero, nil),
    ] as [(JSONValue, Duration, IDTokenError?)])
  func maximumAge(time: JSONValue, maximum: Duration, error: IDTokenError?) async throws {
    let fixture = try IDTokenFixture()
    let token = try fixture.issuer.token(fixture.claims(["auth_time": time == .null ? nil : time]))
    var expectations = IDTokenExpectations(nonce: "n-1")
    expectations.maxAge = maximum
    let found = await Self.error { [expectations] in try await fixture.verifier().verify(token, expecting: expectations) }
    #expect(found == error)
  }

  private func expect(
    _ error: IDTokenError?, of token: Secret<String>, _ fixture: IDTokenFixture,
    allowing algorithms: [String]? = ["ES256", "RS256"], sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let found = await Self.error {
      try await fixture.verifier(allowing: algorithms).verify(token, expecting: IDTokenExpectations(nonce: "n-1"))
    }
    #expect(found == error, sourceLocation: sourceLocation)
  }

  /// Returns the error of a verification, or `nil` if it succeeds.
  private static func error(_ body: () async throws -> IDTokenClaims) async -> IDTokenError? {
    do {
      _ = try await body()
      return nil
    } catch let error as IDTokenError {
      return error
    } catch {
      Issue.record(error)
      return nil
    }
  }
}
