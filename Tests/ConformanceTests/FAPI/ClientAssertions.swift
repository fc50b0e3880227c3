import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: client authentication")
struct ClientAssertions {
  /// How an assertion differs from a valid one.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// Returns the claims that differ, given the current time in seconds since 1970. A null removes a claim.
    var claims: @Sendable (Int64) -> [String: JSONValue] = { _ in [:] }
    var isAccepted = false
    var testDescription: String { self.name }
  }

  private func send(_ client: FAPIClient, _ path: String, _ claims: [String: JSONValue], by key: TestSigningKey) async throws
    -> Reply
  {
    let assertion = try jwt(key, client.party.assertionClaims.merging(claims) { $1 }.filter { $0.value != .null })
    if path == "/par" { return try await client.push(changing: ["client_assertion": assertion]) }
    return try await client.redeem(try await client.code(), changing: ["client_assertion": assertion])
  }

  private func expectInvalidClient(_ reply: Reply, sourceLocation: SourceLocation = #_sourceLocation) {
    expectTokenError(reply, "invalid_client", status: .unauthorized, sourceLocation: sourceLocation)
  }

  static let rows: [Row] = [
    Row(name: "expired 5 minutes ago") { ["exp": .integer($0 - 300)] },
    Row(name: "the audience is another server") { _ in ["aud": "https://other.example"] },
    Row(name: "no sub") { _ in ["sub": .null] },
    Row(name: "the audience is the issuer in an array") { _ in ["aud": ["https://id.example"]] },
    Row(name: "the audience is the pushed request endpoint") { _ in ["aud": "https://id.example/par"] },
    Row(name: "the audience is the token endpoint") { _ in ["aud": "https://id.example/token"] },
    Row(name: "iat and nbf 61 seconds ahead") {
      ["iat": .integer($0 + 61), "nbf": .integer($0 + 61), "exp": .integer($0 + 121)]
    },
    Row(name: "iat and nbf 8 seconds ahead", claims: { ["iat": .integer($0 + 8), "nbf": .integer($0 + 8)] }, isAccepted: true),
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails, \
    fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails, \
    fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails, \
    fapi2-security-profile-final-par-test-array-as-audience-fails, \
    fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails, \
    fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails, \
    fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails, \
    fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted: \
    an assertion with a wrong audience, time, or subject is invalid_client; one whose iat and nbf are 8 seconds ahead is accepted
    """, arguments: ClientAssertions.rows, FAPIPlan.allCases)
  func assertions(_ row: Row, _ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      for path in ["/par", "/token"] {
        let reply = try await self.send(client, path, row.claims(site.now), by: client.key)
        if row.isAccepted {
          #expect(reply.status == (path == "/par" ? .created : .ok))
          if path == "/par" { _ = try await client.signIn(pushed: reply) }
        } else {
          self.expectInvalidClient(reply)
        }
      }
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails: RS256 is invalid_client, PS256 is accepted",
    arguments: ["RS256", "PS256"])
  func algorithm(_ algorithm: String) async throws {
    try await withSite { site in
      let client = try await FAPIClient.withKey(
        on: site, signsRequests: false,
        ["require_pushed_authorization_requests": true, "dpop_bound_access_tokens": true])
      let response = try await self.send(client, "/token", [:], by: .rsa(algorithm, id: "1"))
      if algorithm == "PS256" { #expect(response.status == .ok) } else { self.expectInvalidClient(response) }
    }
  }

  @Test("FAPI 2.0 §5.4.1: for a FAPI 2.0 client, ES384 is invalid_client even if the registered key names no algorithm")
  func otherCurve() async throws {
    try await withSite { site in
      let key = TestSigningKey.es384(id: "1")
      let members: [String: JSONValue] = ["require_pushed_authorization_requests": true]
      // Without DPoP-bound access tokens, the client is not a FAPI 2.0 client, and may use ES384.
      let otherProfile = try await FAPIClient.withKey(key, on: site, signsRequests: false, members)
      #expect(try await self.send(otherProfile, "/par", [:], by: key).status == .created)
      let client = try await FAPIClient.withKey(
        key, on: site, signsRequests: false, members.merging(["dpop_bound_access_tokens": true]) { $1 })
      self.expectInvalidClient(try await self.send(client, "/par", [:], by: key))
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint: a request without an assertion is invalid_client",
    arguments: FAPIPlan.allCases)
  func none(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let reply = try await client.redeem(
        try await client.code(),
        changing: ["client_assertion": nil, "client_assertion_type": nil, "client_id": client.party.id])
      self.expectInvalidClient(reply)
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-client-id-in-token-endpoint: a request with another client's client_id is invalid_client",
    arguments: FAPIPlan.allCases)
  func otherClientID(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let one = try await FAPIClient.registered(on: site, for: plan)
      let other = try await FAPIClient.registered(on: site, for: plan)
      self.expectInvalidClient(try await one.redeem(try await one.code(), changing: ["client_id": other.party.id]))
    }
  }
}
