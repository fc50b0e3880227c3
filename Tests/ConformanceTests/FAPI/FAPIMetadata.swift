import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: metadata")
struct FAPIMetadata {
  /// The algorithms that FAPI 2.0 Security Profile §5.4.1 allows.
  private static let algorithms: Set = ["PS256", "ES256", "EdDSA"]

  @Test(
    "fapi2-security-profile-final-discovery-end-point-verification: the metadata has the members and values that the profile requires"
  )
  func discovery() async throws {
    try await withSite { site in
      let metadata = try await site.metadata()
      let endpoints = [
        "authorization_endpoint", "token_endpoint", "registration_endpoint", "pushed_authorization_request_endpoint", "jwks_uri",
      ]
      for name in endpoints { #expect(metadata.string(name)?.hasPrefix("https://id.example/") == true, "\(name)") }
      #expect(metadata.strings("response_types_supported").contains("code"))
      #expect(metadata.strings("scopes_supported").contains("openid"))
      #expect(!Set(metadata.strings("subject_types_supported")).isDisjoint(with: ["public", "pairwise"]))
      #expect(metadata.strings("token_endpoint_auth_methods_supported").contains("private_key_jwt"))
      #expect(metadata.strings("code_challenge_methods_supported").contains("S256"))
      #expect(metadata.flag("authorization_response_iss_parameter_supported") == true)
      #expect(metadata.flag("require_pushed_authorization_requests") != nil)
      let lists = [
        "dpop_signing_alg_values_supported", "id_token_signing_alg_values_supported", "userinfo_signing_alg_values_supported",
        "token_endpoint_auth_signing_alg_values_supported", "request_object_signing_alg_values_supported",
      ]
      for name in lists {
        let values = Set(metadata.strings(name))
        #expect(!values.isDisjoint(with: Self.algorithms) && !values.contains("none"), "\(name)")
      }
    }
  }

  @Test(
    "fapi2-security-profile-final-discovery-end-point-verification: the endpoints in the metadata respond, and no key is private"
  )
  func endpoints() async throws {
    try await withSite { site in
      let metadata = try await site.metadata()
      func path(_ name: String) throws -> String {
        String(try #require(metadata.string(name)).dropFirst("https://id.example".count))
      }
      for name in ["token_endpoint", "pushed_authorization_request_endpoint", "registration_endpoint"] {
        #expect(try await site.post(try path(name), []).json["error"] != nil, "\(name)")
      }
      #expect(try await site.send(.get, try path("authorization_endpoint")).isPage)
      struct Keys: Decodable { let keys: [[String: String]] }
      let keys = try JSONDecoder().decode(Keys.self, from: Data(try await site.send(.get, try path("jwks_uri")).body.utf8)).keys
      #expect(!keys.isEmpty && Set(keys.map { $0["kid"] }).count == keys.count)
      // The members of private and symmetric keys (RFC 7518 §6).
      for key in keys { #expect(Set(key.keys).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])) }
    }
  }
}
