import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

/// The modules of the FAPI 2.0 Message Signing plan of the OpenID Foundation's conformance suite.
@Suite("fapi2-message-signing-final-test-plan: signed request objects")
struct MessageSigningPlan {
  /// How a request object differs from a valid one.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// Returns the claims that differ, given the current time in seconds since 1970. A null removes a claim.
    var claims: @Sendable (Int64) -> [String: JSONValue] = { _ in [:] }
    var testDescription: String { self.name }
  }

  static let rejections: [Row] = [
    Row(name: "no exp") { _ in ["exp": .null] }, Row(name: "no nbf") { _ in ["nbf": .null] },
    Row(name: "expired") { ["nbf": .integer($0 - 600), "exp": .integer($0 - 300)] },
    Row(name: "another server") { _ in ["aud": "https://other.example"] },
    Row(name: "exp more than an hour ahead") { ["exp": .integer($0 + 4200)] },
    Row(name: "nbf more than an hour ago") { ["nbf": .integer($0 - 4200)] },
    Row(name: "a request_uri inside") { _ in ["request_uri": "urn:ietf:params:oauth:request_uri:random"] },
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-request-object-without-exp-fails, \
    fapi2-security-profile-final-ensure-request-object-without-nbf-fails, \
    fapi2-security-profile-final-ensure-expired-request-object-fails, \
    fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails, \
    fapi2-security-profile-final-ensure-request-object-with-exp-over-60-fails, \
    fapi2-security-profile-final-ensure-request-object-with-nbf-over-60-fails, \
    fapi2-security-profile-final-par-authorization-request-containing-request_uri: \
    the pushed request object is rejected
    """, arguments: MessageSigningPlan.rejections)
  func refuses(_ row: Row) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: .messageSigning)
      let object = try client.object(client.request, changing: row.claims(site.now))
      let reply = try await client.push(changing: ["request": object])
      expectTokenError(reply, "invalid_request_object")
    }
  }

  static let successes: [Row] = [
    Row(name: "several audiences") { _ in ["aud": ["https://other.example", "https://id.example", "invalid"]] },
    Row(name: "nbf 8 seconds ahead") { ["nbf": .integer($0 + 8)] },
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds, \
    fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted: \
    the request object is accepted
    """, arguments: MessageSigningPlan.successes)
  func accepts(_ row: Row) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: .messageSigning)
      let object = try client.object(client.request, changing: row.claims(site.now))
      _ = try await client.signIn(pushed: try await client.push(changing: ["request": object]))
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-signed-request-object-with-RS256-fails: RS256 is rejected, PS256 is accepted",
    arguments: ["RS256", "PS256"])
  func algorithm(_ algorithm: String) async throws {
    try await withSite { site in
      let client = try await FAPIClient.withKey(on: site, signsRequests: true, ["require_signed_request_object": true])
      let object = try client.object(client.request, by: .rsa(algorithm, id: "1"))
      let pushed = try await client.push(changing: ["request": object])
      if algorithm == "PS256" {
        #expect(pushed.status == .created, "\(pushed.body)")
      } else {
        expectTokenError(pushed, "invalid_request_object")
      }
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none: an unsigned request object is rejected")
  func unsigned() async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: .messageSigning)
      let object = try client.object(client.request, by: .none(id: "1"))
      expectTokenError(try await client.push(changing: ["request": object]), "invalid_request_object")
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails: the signature of another object is rejected"
  )
  func invalidSignature() async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: .messageSigning)
      let object = try client.object(client.request)
      let other = try client.object(client.request.with("state", "other"))
      let parts = object.split(separator: ".").dropLast() + other.split(separator: ".").suffix(1)
      expectTokenError(
        try await client.push(changing: ["request": parts.joined(separator: ".")]), "invalid_request_object")
    }
  }

  @Test("fapi2-security-profile-final-ensure-matching-key-in-authorization-request: the signature of another client is rejected")
  func otherClientsKey() async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: .messageSigning)
      let other = try await FAPIClient.registered(on: site, for: .messageSigning)
      let object = try client.object(client.request, by: other.key)
      expectTokenError(try await client.push(changing: ["request": object]), "invalid_request_object")
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-unsigned-request-at-par-endpoint-fails: a client that must sign its requests cannot push plain parameters"
  )
  func plainPush() async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: .messageSigning)
      let plain = FAPIClient(party: client.party, key: client.key, proofKey: client.proofKey, signsRequests: false)
      expectTokenError(try await plain.push(), "invalid_request")
    }
  }
}
