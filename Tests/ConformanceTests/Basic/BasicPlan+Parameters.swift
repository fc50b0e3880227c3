import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

extension BasicPlan {
  @Suite(
    "oidcc-basic-certification-test-plan, oidcc-formpost-basic-certification-test-plan: optional parameters of the request")
  struct Parameters {
    /// Optional parameters that must not cause an error, whether the server supports them or not. A parameter whose
    /// value is nil is removed from the request.
    static let rows: [(name: String, parameters: [(name: String, value: String?)])] = [
      ("without nonce", [("nonce", nil)]),
      ("display=page", [("display", "page")]), ("display=popup", [("display", "popup")]),
      ("unknown parameter", [("extra", "foobar")]),
      ("login_hint", [("login_hint", "buffy@id.example")]),
      ("ui_locales", [("ui_locales", "se")]), ("claims_locales", [("claims_locales", "se")]),
      ("scope profile", [("scope", "openid profile")]), ("scope email", [("scope", "openid email")]),
      ("scope address", [("scope", "openid address")]), ("scope phone", [("scope", "openid phone")]),
      ("scope all", [("scope", "openid address email phone profile")]),
      ("PKCE", [("code_challenge", AuthorizeParameters.challenge), ("code_challenge_method", "S256")]),
    ]

    @Test(
      """
      oidcc-ensure-request-without-nonce-succeeds-for-code-flow, oidcc-display-page, oidcc-display-popup, \
      oidcc-ensure-request-with-unknown-parameter-succeeds, oidcc-login-hint, oidcc-ui-locales, oidcc-claims-locales, \
      oidcc-scope-profile, oidcc-scope-email, oidcc-scope-address, oidcc-scope-phone, oidcc-scope-all, \
      oidcc-ensure-request-with-valid-pkce-succeeds: the request succeeds, and userinfo has the name and email only if the scope allows them
      """, arguments: Parameters.rows, ResponseMode.allCases)
    func succeeds(_ row: (name: String, parameters: [(name: String, value: String?)]), _ mode: ResponseMode) async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site).receiving(by: mode)
        let request = row.parameters.reduce(party.request) { $0.with($1.name, $1.value) }
        let verifier = request["code_challenge"] == nil ? nil : AuthorizeParameters.verifier
        let signIn = try await party.signIn(request, verifier: verifier)
        let claims = try await site.userinfo(signIn.accessToken).json
        let scope = try #require(request["scope"]).split(separator: " ")
        // OpenID Connect Core §5.4.
        #expect((claims["name"] == "Ada" && claims["preferred_username"] == "ada") == scope.contains("profile"))
        #expect((claims["email"] == "ada@example.com") == scope.contains("email"))
      }
    }
  }
}
