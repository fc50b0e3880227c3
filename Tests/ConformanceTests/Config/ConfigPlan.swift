import Foundation
import HTTPTestSupport
import HTTPTypes
import Testing

/// The modules of the OpenID Foundation's conformance suite that check the metadata.
@Suite(
  """
  oidcc-config-certification-test-plan, oidcc-dynamic-certification-test-plan, oidcc-rp-initiated-logout-certification-test-plan: \
  the metadata
  """)
struct ConfigPlan {
  @Test("oidcc-discovery-endpoint-verification: the metadata lists the server's endpoints and what the server supports")
  func discovery() async throws {
    try await withSite { site in
      let metadata = try await site.metadata()
      let endpoints = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "registration_endpoint",
      ]
      for name in endpoints { #expect(metadata.string(name)?.hasPrefix("https://id.example/") == true, "\(name)") }
      #expect(metadata.strings("response_types_supported") == ["code"])
      #expect(metadata.strings("subject_types_supported") == ["public"])
      #expect(metadata.strings("id_token_signing_alg_values_supported").contains("RS256"))
      #expect(metadata.strings("scopes_supported").contains("openid"))
      #expect(Set(metadata.strings("grant_types_supported")).isSuperset(of: ["authorization_code", "refresh_token"]))
      let methods = metadata.strings("token_endpoint_auth_methods_supported")
      #expect(Set(methods).isSuperset(of: ["client_secret_basic", "client_secret_post", "private_key_jwt"]))
      // RFC 8414 §2: for each endpoint that accepts signed assertions, the metadata lists the algorithms.
      for endpoint in ["token", "revocation", "introspection"] {
        let methods = metadata.strings("\(endpoint)_endpoint_auth_methods_supported")
        let algorithms = metadata.strings("\(endpoint)_endpoint_auth_signing_alg_values_supported")
        #expect(methods.contains("private_key_jwt"), "\(endpoint)")
        #expect(algorithms.contains("ES256") && !algorithms.contains("none"), "\(endpoint)")
      }
      #expect(metadata.strings("userinfo_signing_alg_values_supported").contains("RS256"))
      #expect(Set(metadata.strings("claims_supported")).isSuperset(of: ["sub", "name", "email"]))
      #expect(metadata.flag("claims_parameter_supported") == true && metadata.flag("request_parameter_supported") == true)
      // A key with the member `d` would be a private key (RFC 7518 §6).
      let keys = try await site.send(.get, "/jwks.json")
      #expect(keys.status == .ok && !keys.body.contains(#""d""#) && keys.body.contains("RSA"))
    }
  }

  @Test("oidcc-rp-initiated-logout-discovery-endpoint-verification: the metadata names end_session_endpoint")
  func logout() async throws {
    try await withSite { site in
      let endpoint = try await site.metadata().string("end_session_endpoint")
      #expect(endpoint?.hasPrefix("https://id.example/") == true)
    }
  }
}
