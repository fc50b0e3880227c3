import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import TestSupport
import Testing

@Suite("FAPI 2.0: the algorithms that a FAPI 2.0 client can register")
struct ProfileAlgorithms {
  private static let profile: [String: JSONValue] = [
    "token_endpoint_auth_method": "private_key_jwt", "require_pushed_authorization_requests": true,
    "dpop_bound_access_tokens": true,
  ]

  @Test("FAPI 2.0 §5.4.1: a FAPI 2.0 client that registers no algorithm gets ID tokens signed with ES256")
  func defaultAlgorithm() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site, Self.profile, key: .es256(id: "1"))
      #expect(party.algorithm == "ES256")
    }
  }

  static let members = [
    "id_token_signed_response_alg", "userinfo_signed_response_alg", "token_endpoint_auth_signing_alg",
    "request_object_signing_alg", "jwks",
  ]

  @Test(
    "FAPI 2.0 §5.4.1: a FAPI 2.0 client cannot register RS256 or ES384, or a key for them",
    arguments: ProfileAlgorithms.members, ["RS256", "ES384"])
  func refusesOtherAlgorithms(_ member: String, _ algorithm: String) async throws {
    try await withSite { site in
      var metadata = Self.profile
      var key = TestSigningKey.es256(id: "1").jwk
      if member == "jwks" { key["alg"] = .string(algorithm) } else { metadata[member] = .string(algorithm) }
      metadata["jwks"] = ["keys": [key]]
      let reply = try await site.register(RelyingParty.metadata(metadata))
      #expect(reply.status == .badRequest && reply.json["error"] == "invalid_client_metadata", "\(reply.body)")
    }
  }

  @Test(
    "FAPI 2.0 Message Signing §5.3.1: a client that signs all requests cannot register RS256 or ES384 for them",
    arguments: ["RS256", "ES384"])
  func refusesOtherAlgorithmsOfRequests(_ algorithm: String) async throws {
    try await withSite { site in
      let metadata: [String: JSONValue] = [
        "require_signed_request_object": true, "jwks": ["keys": [TestSigningKey.es256(id: "1").jwk]],
        "request_object_signing_alg": .string(algorithm),
      ]
      let reply = try await site.register(RelyingParty.metadata(metadata))
      #expect(reply.status == .badRequest && reply.json["error"] == "invalid_client_metadata", "\(reply.body)")
    }
  }
}
