import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

/// The modules that both FAPI 2.0 plans of the OpenID Foundation's conformance suite share.
@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan")
struct SecurityProfilePlan {
  @Test(
    """
    fapi2-security-profile-final-happy-flow: two clients sign users in, one of them with a query in the redirect URI, \
    and the first client cannot use an access token of the second client
    """, arguments: FAPIPlan.allCases)
  func happyFlow(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let one = try await FAPIClient.registered(on: site, for: plan)
      let other = try await FAPIClient.registered(
        on: site, for: plan, redirectURI: RelyingParty.callback + "?dummy1=lorem&dummy2=ipsum")
      for client in [one, other] {
        let signIn = try await client.signIn()
        let reply = try await client.userinfo(signIn.accessToken)
        #expect(reply.status == .ok && reply.json["sub"] == signIn.idToken.sub)
      }
      let token = try await other.signIn().accessToken
      #expect(try await one.userinfo(token).status == .unauthorized)
    }
  }

  @Test(
    "fapi2-security-profile-final-user-rejects-authentication: a user who denies the request causes access_denied",
    arguments: FAPIPlan.allCases)
  func rejects(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let browser = TestBrowser(site)
      let page = try await browser.open(try client.authorizationURL(try await client.push()))
      let reply = try await browser.decide(try await browser.signIn(page), "deny")
      expectErrorRedirect(reply, "access_denied", client.request)
    }
  }

  static let successes: [(name: String, changes: [(name: String, value: String?)])] = [
    ("without state", [("state", nil)]), ("without nonce", [("nonce", nil)]),
    ("nonce of 64 characters", [("nonce", String(repeating: "n", count: 64))]),
    ("nonce of 384 characters", [("nonce", String(repeating: "n", count: 384))]),
    ("state of 1024 characters", [("state", String(repeating: "s", count: 1024))]),
    ("scopes in another order", [("scope", "offline_access email profile openid")]),
    ("only client_id and request_uri in the URL", []),
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-authorization-request-without-state-success, \
    fapi2-security-profile-final-ensure-authorization-request-without-nonce-success, \
    fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success, \
    fapi2-security-profile-final-ensure-authorization-request-with-long-nonce, \
    fapi2-security-profile-final-ensure-authorization-request-with-long-state, \
    fapi2-security-profile-final-ensure-other-scope-order-succeeds, \
    fapi2-security-profile-final-par-without-duplicate-parameters: \
    the request succeeds, and state and nonce are returned unchanged
    """, arguments: SecurityProfilePlan.successes, FAPIPlan.allCases)
  func succeeds(_ row: (name: String, changes: [(name: String, value: String?)]), _ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      _ = try await client.signIn(row.changes.reduce(client.request) { $0.with($1.name, $1.value) })
    }
  }

  /// The first row is the module `plain-fapi-tolerate-unregistered-redirect-uri`. A server may accept such a redirect
  /// URI in a pushed request of a client that authenticates (RFC 9126 §2.4), but this server rejects it.
  static let rejections: [(name: String, changes: [(name: String, value: String?)], code: String)] = [
    ("unregistered redirect", [("redirect_uri", "https://rp.example/other")], "invalid_request"),
    ("no redirect", [("redirect_uri", nil)], "invalid_request"),
    ("code id_token", [("response_type", "code id_token")], "unsupported_response_type"),
    ("token", [("response_type", "token")], "unsupported_response_type"),
    ("no PKCE", [("code_challenge", nil), ("code_challenge_method", nil)], "invalid_request"),
    ("plain PKCE", [("code_challenge", AuthorizeParameters.verifier), ("code_challenge_method", "plain")], "invalid_request"),
  ]

  @Test(
    """
    fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri, \
    fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails, \
    fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request, \
    fapi2-security-profile-final-ensure-response-type-code-idtoken-fails, \
    fapi2-security-profile-final-ensure-response-type-token-fails, \
    fapi2-security-profile-final-par-ensure-pkce-required, \
    fapi2-security-profile-final-par-plain-pkce-rejected: the pushed request is rejected
    """, arguments: SecurityProfilePlan.rejections, FAPIPlan.allCases)
  func refuses(
    _ row: (name: String, changes: [(name: String, value: String?)], code: String), _ plan: FAPIPlan
  ) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let reply = try await client.push(row.changes.reduce(client.request) { $0.with($1.name, $1.value) })
      expectTokenError(reply, row.code)
    }
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails: \
    a request that was not pushed is rejected
    """, arguments: FAPIPlan.allCases)
  func unpushed(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      // For a client that registered itself, the user sees an error page instead of a redirect (S-31).
      expectErrorPage(try await TestBrowser(site).authorize(client.request))
      var operatorClient = client
      operatorClient.party = try await client.party.operatorRegistered()
      expectErrorRedirect(
        try await TestBrowser(site).authorize(operatorClient.request), "invalid_request", operatorClient.request)
    }
  }
}
