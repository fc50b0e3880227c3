#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportResource
import TestSupport
import Testing

struct SignatureTests {
  @Test("R-01: a token with the algorithm 'none' or a symmetric algorithm is rejected, whichever key it names")
  func algorithmConfusion() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let publicKey = try JSONEncoder().encode(fixture.issuer.es256.jwk)
    let keys: [TestSigningKey] = [
      .none(id: "es-1"), .none(id: nil), .hmac(secret: Array(publicKey), id: "es-1"), .hmac(secret: [], id: "rs-1"),
    ]
    for key in keys {
      let reason = await api.error(of: fixture.bearer(try fixture.token(key: key)))?.reason
      #expect(reason == .token(.algorithmNotAllowed))
    }
    for name in ["None", "NONE", "nOnE", "es256", "HS512", ""] {
      let token = try fixture.token(header: ["alg": .string(name)])
      #expect(await api.error(of: fixture.bearer(token))?.reason == .token(.algorithmNotAllowed))
    }
    // The API did not fetch the key set for any of these tokens.
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test("R-01: a key is used only with its own algorithm, and the API can limit the algorithms")
  func algorithmOfKey() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let swapped = try fixture.token(key: fixture.issuer.es256, header: ["alg": "RS256"])
    #expect(await api.error(of: fixture.bearer(swapped))?.reason == .token(.key(.unsuitableKey)))
    let narrow = try fixture.api([TrustedIssuer(fixture.issuer.issuer, algorithms: ["ES256"])])
    #expect(try await narrow.error(of: fixture.bearer(fixture.token())) == nil)
    let rsa = try fixture.token(key: fixture.issuer.rs256)
    #expect(await narrow.error(of: fixture.bearer(rsa))?.reason == .token(.algorithmNotAllowed))
  }

  @Test("R-01: keys in a token's header are ignored", arguments: ["jwk", "jku", "x5u", "x5c"])
  func ownKey(parameter: String) async throws {
    let fixture = try ResourceFixture()
    let foreignKey = TestSigningKey.es256(id: "es-1")
    let url: JSONValue = "https://evil.example/jwks"
    let value: JSONValue = parameter == "jwk" ? foreignKey.jwk : parameter == "x5c" ? ["MIIB"] : url
    let token = try fixture.token(key: foreignKey, header: [parameter: value])
    #expect(try await fixture.api().error(of: fixture.bearer(token))?.reason == .token(.signatureInvalid))
    #expect(fixture.transport.requests(to: "https://evil.example/jwks").isEmpty)
  }

  @Test("R-01: a token with the header parameter crit is rejected, because no extension is supported")
  func critical() async throws {
    let fixture = try ResourceFixture()
    let token = try fixture.token(header: ["crit": ["exp"]])
    #expect(try await fixture.api().error(of: fixture.bearer(token))?.reason == .token(.criticalHeader))
  }

  @Test("R-01: modified payloads and signatures are detected, even if the valid token is cached")
  func tampering() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let good = try fixture.token()
    #expect(await api.error(of: fixture.bearer(good)) == nil)
    var parts = good.split(separator: ".").map(String.init)
    let other = try fixture.token(["scope": "admin"]).split(separator: ".").map(String.init)
    let mixed = [parts[0], other[1], parts[2]].joined(separator: ".")
    #expect(await api.error(of: fixture.bearer(mixed))?.reason == .token(.signatureInvalid))
    let cut = [parts[0], parts[1], String(parts[2].dropLast(2))].joined(separator: ".")
    #expect(await api.error(of: fixture.bearer(cut))?.reason == .token(.signatureInvalid))
    let empty = [parts[0], parts[1], ""].joined(separator: ".")
    #expect(await api.error(of: fixture.bearer(empty))?.reason == .token(.signatureInvalid))
    // The same bytes in base64url with padding, which RFC 7515 §2 does not allow.
    parts[2] += "=="
    let reason = await api.error(of: fixture.bearer(parts.joined(separator: ".")))?.reason
    #expect(reason == .token(.malformed(.signatureNotBase64URL)))
  }

  @Test(
    "R-01: a token that is not a JWT is rejected, and no keys are fetched",
    arguments: ["x", "a.b", "a.b.c.d", "..", "e30.e30.e30", "AAAA.e30.AAAA", "eyJhbGciOjd9.e30.AAAA"])
  func malformed(token: String) async throws {
    let fixture = try ResourceFixture()
    let error = try await fixture.api().error(of: fixture.bearer(token))
    #expect(error?.status == .unauthorized && error?.challenges.first?.error == .invalidToken)
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test("R-01: a new key is found, and a withdrawn key is rejected after the next fetch of the key set")
  func rotation() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let old = try fixture.token(["exp": 1_800_100_000])
    #expect(await api.error(of: fixture.bearer(old)) == nil)
    let next = TestSigningKey.es256(id: "es-2")
    fixture.transport.on(fixture.issuer.jwksURL, respond: .json(encoding: TestIssuer.jwks([next])))
    // An unknown key causes a new fetch of the key set, but at most one in 30 seconds.
    fixture.clock.advance(by: .seconds(31))
    #expect(try await api.error(of: fixture.bearer(fixture.token(key: next))) == nil)
    #expect(await api.error(of: fixture.bearer(old))?.reason == .token(.key(.unknownKey)))
  }

  @Test("R-01: a key that was replaced under the same kid is rejected when the cached key set expires")
  func replacedKey() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let old = try fixture.token(["exp": 1_800_100_000])
    #expect(await api.error(of: fixture.bearer(old)) == nil)
    fixture.transport.on(fixture.issuer.jwksURL, respond: .json(encoding: TestIssuer.jwks([.es256(id: "es-1")])))
    fixture.clock.advance(by: .seconds(7_200))
    #expect(await api.error(of: fixture.bearer(old))?.reason == .token(.signatureInvalid))
  }

  @Test("if the issuer cannot be reached, the cached keys are used; without cached keys, the status is 503")
  func issuerOffline() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    #expect(try await api.error(of: fixture.bearer(fixture.token())) == nil)
    for url in [fixture.issuer.jwksURL, fixture.issuer.configurationURL] { fixture.transport.on(url, fail: .timedOut) }
    fixture.clock.advance(by: .seconds(7200))
    #expect(try await api.error(of: fixture.bearer(fixture.token(["jti": "t-2"]))) == nil)

    let newAPI = try fixture.api()
    let error = try await newAPI.error(of: fixture.bearer(fixture.token()))
    #expect(error?.status == .serviceUnavailable && error?.fields[.retryAfter] == "5" && error?.challenges == [])
    // For one second after the failure, the API does not try again.
    let attempts = fixture.transport.requests(to: fixture.issuer.configurationURL).count
    _ = try await newAPI.error(of: fixture.bearer(fixture.token()))
    #expect(fixture.transport.requests(to: fixture.issuer.configurationURL).count == attempts)
    fixture.issuer.publish(on: fixture.transport)
    fixture.clock.advance(by: .seconds(1))
    #expect(try await newAPI.error(of: fixture.bearer(fixture.token())) == nil)
  }

  @Test("if the issuer does not respond, requests continue with the cached keys", .timeLimit(.minutes(1)))
  func silentIssuer() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    #expect(try await api.error(of: fixture.bearer(fixture.token())) == nil)
    let gate = Gate()
    for url in [fixture.issuer.jwksURL, fixture.issuer.configurationURL] {
      fixture.transport.on(url) { _ in
        await gate.wait()
        return .failure(.timedOut)
      }
    }
    fixture.clock.advance(by: .seconds(7200))
    for number in 2...4 {
      #expect(try await api.error(of: fixture.bearer(fixture.token(["jti": .string("t-\(number)")]))) == nil)
    }
    gate.open()
  }

  @Test("R-01: repeated requests with a token need no network access, and the token's times are checked again")
  func remembered() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token()
    for _ in 0..<100 { #expect(await api.error(of: fixture.bearer(token)) == nil) }
    // Only the metadata and the key set were fetched.
    #expect(fixture.transport.requests.count == 2)
    // The token is valid for 300 seconds, plus 30 seconds of tolerated clock difference.
    fixture.clock.advance(by: .seconds(330))
    #expect(await api.error(of: fixture.bearer(token))?.reason == .token(.expired))
    // The clock is now 70 seconds before the time at which the token was issued.
    fixture.clock.advance(by: .seconds(-400))
    #expect(await api.error(of: fixture.bearer(token))?.reason == .token(.issuedInFuture))
  }

  @Test("the error about an unreachable issuer names the issuer")
  func unreachableIssuerName() async throws {
    let fixture = try ResourceFixture()
    fixture.transport.on(fixture.issuer.configurationURL, fail: .timedOut)
    let error = try await fixture.api().error(of: fixture.bearer(fixture.token()))
    #expect("\(try #require(error).reason)".contains("https://id.example"))
  }

  @Test("if the API limits the age of keys, older keys are not used, even if no new ones can be fetched")
  func maximumKeyAge() async throws {
    let fixture = try ResourceFixture()
    let issuer = TrustedIssuer(fixture.issuer.issuer, maximumKeyAge: .seconds(7200))
    let api = try fixture.api([issuer])
    let token = try fixture.token(["exp": 1_800_100_000])
    #expect(await api.error(of: fixture.bearer(token)) == nil)
    fixture.transport.on(fixture.issuer.jwksURL, fail: .timedOut)
    fixture.clock.advance(by: .seconds(7199))
    #expect(await api.error(of: fixture.bearer(token)) == nil)
    fixture.clock.advance(by: .seconds(1))
    #expect(await api.error(of: fixture.bearer(token))?.status == .serviceUnavailable)
  }

  @Test(
    "the metadata of an issuer that has no sign-in page or supports no PKCE is sufficient",
    arguments: [
      ["authorization_endpoint": nil], ["token_endpoint": nil], ["code_challenge_methods_supported": ["plain"]],
      ["response_types_supported": ["token"]],
    ] as [[String: JSONValue?]])
  func serviceIssuer(changes: [String: JSONValue?]) async throws {
    let fixture = try ResourceFixture()
    var metadata: JSONValue = ["issuer": "https://id.example", "jwks_uri": .string(fixture.issuer.jwksURL)]
    metadata["authorization_endpoint"] = "https://id.example/authorize"
    metadata["token_endpoint"] = "https://id.example/token"
    for (name, value) in changes { metadata[name] = value }
    fixture.transport.on(fixture.issuer.configurationURL, respond: .json(encoding: metadata))
    #expect(try await fixture.api().error(of: fixture.bearer(fixture.token())) == nil)
  }

  @Test(
    "metadata that is for another issuer or names an unsafe URL is rejected",
    arguments: [
      (["issuer": "https://other.example"], .issuerMismatch(found: "https://other.example")),
      (["jwks_uri": "http://id.example/jwks"], .endpoint(.jwks, .plainHTTP)),
      (["jwks_uri": "http://127.0.0.1/jwks"], .downgrade(.jwks)),
      (["introspection_endpoint": "http://127.0.0.1/introspect"], .downgrade(.introspection)),
    ] as [([String: JSONValue], DiscoveryError)])
  func unsafeMetadata(changes: [String: JSONValue], error: DiscoveryError) async throws {
    let fixture = try ResourceFixture()
    var metadata: JSONValue = ["issuer": "https://id.example", "jwks_uri": .string(fixture.issuer.jwksURL)]
    metadata["authorization_endpoint"] = "https://id.example/authorize"
    metadata["token_endpoint"] = "https://id.example/token"
    for (name, value) in changes { metadata[name] = value }
    fixture.transport.on(fixture.issuer.configurationURL, respond: .json(encoding: metadata))
    let rejection = try await fixture.api().error(of: fixture.bearer(fixture.token()))
    #expect(rejection?.reason == .token(.issuerUnreachable(fixture.issuer.issuer, .metadata(error))))
  }

  @Test(
    "R-01: a cached token is rejected if its key is missing from a new key set, even within the 30 seconds for which it is cached"
  )
  func withdrawnWithinCacheLifetime() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(["exp": 1_800_100_000])
    #expect(await api.error(of: fixture.bearer(token)) == nil)
    // Key sets are fetched again after an hour. Just before that, the token is verified again, and the result is
    // cached.
    fixture.clock.advance(by: .seconds(3590))
    #expect(await api.error(of: fixture.bearer(token)) == nil)
    fixture.transport.on(fixture.issuer.jwksURL, respond: .json(encoding: TestIssuer.jwks([.es256(id: "es-2")])))
    fixture.clock.advance(by: .seconds(15))
    #expect(await api.error(of: fixture.bearer(token))?.reason == .token(.key(.unknownKey)))
  }

  @Test("R-01: a cached token is rejected when it expires, even within the 30 seconds for which it is cached")
  func expiredWithinCacheLifetime() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(["exp": .integer(fixture.clock.now.seconds + 10)])
    fixture.clock.advance(by: .seconds(20))
    #expect(await api.error(of: fixture.bearer(token)) == nil)
    // The token is accepted for 40 seconds: its lifetime of 10 seconds, and the tolerated clock difference of 30.
    fixture.clock.advance(by: .seconds(19))
    #expect(await api.error(of: fixture.bearer(token)) == nil)
    fixture.clock.advance(by: .seconds(1))
    #expect(await api.error(of: fixture.bearer(token))?.reason == .token(.expired))
  }

  @Test("if the operator configures the key set's URL, no metadata is read")
  func namedKeys() async throws {
    let fixture = try ResourceFixture()
    let issuer = TrustedIssuer(fixture.issuer.issuer, jwksURI: try EndpointURL(fixture.issuer.jwksURL))
    #expect(try await fixture.api([issuer]).error(of: fixture.bearer(fixture.token())) == nil)
    #expect(fixture.transport.requests(to: fixture.issuer.configurationURL).isEmpty)
  }
}
