import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan: requests")
struct SecurityProfilePlan {
  @Test("fapi2-security-profile-final-discovery-end-point-verification: the metadata names what the profile asks for")
  func discovery() async throws {
    try await withSite { site in
      let metadata = try await site.metadata()
      #expect(metadata.string("pushed_authorization_request_endpoint")?.hasPrefix("https://id.example/") == true)
      #expect(metadata.strings("token_endpoint_auth_methods_supported").contains("private_key_jwt"))
      #expect(metadata.strings("code_challenge_methods_supported") == ["S256"])
      #expect(metadata.strings("dpop_signing_alg_values_supported").contains("ES256"))
      #expect(metadata.strings("response_types_supported") == ["code"])
      #expect(metadata.flag("authorization_response_iss_parameter_supported") == true)
      #expect(metadata.flag("request_parameter_supported") == true)
      for name in ["request_object_signing_alg_values_supported", "token_endpoint_auth_signing_alg_values_supported"] {
        #expect(Set(metadata.strings(name)).isSuperset(of: ["ES256", "PS256"]))
      }
    }
  }

  @Test("fapi2-security-profile-final-user-rejects-authentication: who says no sends the client access_denied")
  func rejects() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let browser = TestBrowser(site)
      let page = try await browser.open(try secure.address(try await secure.push()))
      let reply = try await browser.decide(try await browser.signIn(page), "deny")
      expectErrorRedirect(reply, "access_denied", secure.request)
    }
  }

  static let successes: [(name: String, changes: [(name: String, value: String?)])] = [
    ("without state", [("state", nil)]), ("without nonce", [("nonce", nil)]),
    ("64 characters of nonce", [("nonce", String(repeating: "n", count: 64))]),
    ("384 characters of nonce", [("nonce", String(repeating: "n", count: 384))]),
    ("a long state", [("state", String(repeating: "s", count: 1024))]),
    ("other order of the scopes", [("scope", "offline_access email profile openid")]),
    ("identity claims", [("claims", #"{"id_token":{"name":null,"email":{"essential":true}},"userinfo":{"name":null}}"#)]),
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-authorization-request-without-state-success, \
    fapi2-security-profile-final-ensure-authorization-request-without-nonce-success, \
    fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success, \
    fapi2-security-profile-final-ensure-authorization-request-with-long-nonce, \
    fapi2-security-profile-final-ensure-authorization-request-with-long-state, \
    fapi2-security-profile-final-ensure-other-scope-order-succeeds, \
    fapi2-security-profile-final-test-claims-parameter-identity-claims, \
    fapi2-security-profile-final-par-without-duplicate-parameters: \
    the request succeeds, and what was sent comes back as it was
    """, arguments: SecurityProfilePlan.successes, [false, true])
  func succeeds(_ row: (name: String, changes: [(name: String, value: String?)]), signs: Bool) async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site, signsRequests: signs)
      let signIn = try await secure.signIn(row.changes.reduce(secure.request) { $0.with($1.name, $1.value) })
      if row.name == "identity claims" { #expect(signIn.idToken.name == "Ada" && signIn.idToken.email == "ada@example.com") }
    }
  }

  static let refusals: [(name: String, changes: [String: String?], codes: [String])] = [
    ("unregistered redirect", ["redirect_uri": "https://rp.example/other"], ["invalid_request"]),
    ("no redirect", ["redirect_uri": nil], ["invalid_request"]),
    ("code id_token", ["response_type": "code id_token"], ["unsupported_response_type"]),
    ("token", ["response_type": "token"], ["unsupported_response_type"]),
    ("no PKCE", ["code_challenge": nil, "code_challenge_method": nil], ["invalid_request"]),
    ("plain PKCE", ["code_challenge": AuthorizeParameters.verifier, "code_challenge_method": "plain"], ["invalid_request"]),
    (
      "essential acr", ["claims": #"{"id_token":{"acr":{"essential":true,"values":["urn:openbanking:psd2:sca"]}}}"#],
      ["unmet_authentication_requirements"]
    ),
    ("request_uri", ["request_uri": "urn:ietf:params:oauth:request_uri:random"], ["invalid_request"]),
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-registered-redirect-uri, \
    fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri, \
    fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request, \
    fapi2-security-profile-final-ensure-response-type-code-idtoken-fails, \
    fapi2-security-profile-final-ensure-response-type-token-fails, \
    fapi2-security-profile-final-par-ensure-pkce-required, \
    fapi2-security-profile-final-par-plain-pkce-rejected, \
    fapi2-security-profile-final-test-essential-acr-sca-claim, \
    fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param: \
    the push is refused
    """, arguments: SecurityProfilePlan.refusals)
  func refuses(_ name: String, _ changes: [String: String?], _ codes: [String]) async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let reply = try await secure.push(changing: changes)
      #expect(reply.status == .badRequest && codes.contains(reply.json["error"] ?? "") && reply.json["request_uri"] == nil)
    }
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails: \
    a request that was not pushed is refused
    """)
  func unpushed() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let reply = try await TestBrowser(site).authorize(secure.request)
      // Nobody vouched for a client that registered itself: the person sees a page, and is not sent on (S-31).
      expectErrorPage(reply)
      let request = try await secure.party.vouchedFor().request
      expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_request", request)
    }
  }

  @Test(
    "fapi2-security-profile-final-par-attempt-invalid-http-method: requests are pushed by POST",
    arguments: [
      HTTPRequest.Method.get, .put, .patch, .delete,
    ])
  func method(_ method: HTTPRequest.Method) async throws {
    try await withSite { site in
      let reply = try await site.send(method, "/par")
      #expect(reply.status == .methodNotAllowed && reply.headers[.allow] == "POST" && reply.json["error"] == "invalid_request")
    }
  }

  private static let profile: [String: JSONValue] = [
    "token_endpoint_auth_method": "private_key_jwt", "require_pushed_authorization_requests": true,
    "dpop_bound_access_tokens": true,
  ]

  @Test("FAPI 2.0 §5.4.1: a client of the profile that names no algorithm has its ID tokens signed by ES256")
  func defaultAlgorithm() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site, Self.profile, key: .es256(id: "1"))
      #expect(party.algorithm == "ES256")
    }
  }

  static let algorithmMembers = [
    "id_token_signed_response_alg", "userinfo_signed_response_alg", "token_endpoint_auth_signing_alg",
    "request_object_signing_alg",
  ]

  @Test(
    "FAPI 2.0 §5.4.1: a client of the profile cannot register RS256, nor ES384, nor a key for it",
    arguments: SecurityProfilePlan.algorithmMembers + ["jwks"], ["RS256", "ES384"])
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

  @Test("FAPI 2.0 Message Signing §5.3.1: who signs all requests cannot register RS256 for them", arguments: ["RS256", "ES384"])
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
