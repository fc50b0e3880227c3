#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import Testing

struct IDTokenValuesTests {
  @Test(
    "C-29: at_hash is the left half of the access token's hash",
    arguments: [
      // The example of OpenID Connect Core, appendix A.3. All three algorithms use SHA-256.
      ("RS256", "77QmUPtjPfzWtF2AnpK9RQ"), ("ES256", "77QmUPtjPfzWtF2AnpK9RQ"), ("PS256", "77QmUPtjPfzWtF2AnpK9RQ"),
    ])
  func accessTokenHash(algorithm: String, expected: String) {
    let token = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
    #expect(AccessTokenHash.of(token, algorithm: algorithm) == expected)
  }

  @Test("C-29: the length of the hash depends on the algorithm, and an unknown algorithm has no hash")
  func hashLengths() {
    let token = Secret("x")
    for (algorithm, bytes) in [("ES256", 16), ("ES384", 24), ("RS384", 24), ("ES512", 32), ("PS512", 32), ("EdDSA", 32)] {
      #expect(AccessTokenHash.of(token, algorithm: algorithm).flatMap { Base64URL.decode($0) }?.count == bytes)
    }
    for algorithm in ["none", "", "ES", "ML-DSA-65"] { #expect(AccessTokenHash.of(token, algorithm: algorithm) == nil) }
  }

  @Test(
    "C-29: an audience is a string or a list of strings, which may be empty",
    arguments: [
      (#""a""#, ["a"]), (#"["a"]"#, ["a"]), (#"["a","b"]"#, ["a", "b"]), ("[]", []), ("7", nil), ("null", nil), ("{}", nil),
      ("[7]", nil),
      (#"["a",null]"#, nil),
    ] as [(String, [String]?)])
  func audience(json: String, values: [String]?) {
    #expect((try? JSONDecoder().decode(Audience.self, from: Data(json.utf8)))?.values == values)
  }

  @Test("C-29: a profile claim of the wrong type is ignored, and a protocol claim of the wrong type is an error")
  func lenientProfile() throws {
    let required = #""iss":"i","sub":"s","aud":"a","exp":2,"iat":1"#
    let json = "{\(required),\"email_verified\":\"true\",\"name\":7,\"email\":null,\"auth_time\":0.5}"
    let claims = try JSONDecoder().decode(IDTokenClaims.self, from: Data(json.utf8))
    #expect(claims.subject == "s")
    #expect(claims.name == nil)
    #expect(claims.emailVerified == nil)
    #expect(claims.authenticationTime == 0.5)
    for claim in [#""nonce":7"#, #""azp":["a"]"#, #""at_hash":1"#, #""auth_time":"x""#] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(IDTokenClaims.self, from: Data("{\(required),\(claim)}".utf8))
      }
    }
  }

  @Test("claims are decoded as they were encoded")
  func roundTrip() throws {
    var claims = IDTokenClaims(issuer: "i", subject: "s", audience: Audience(["a", "b"]), expiration: 2, issuedAt: 1.5)
    claims.nonce = "n"
    claims.emailVerified = true
    claims.name = "Ada"
    #expect(try JSONDecoder().decode(IDTokenClaims.self, from: JSONEncoder().encode(claims)) == claims)
  }
}
