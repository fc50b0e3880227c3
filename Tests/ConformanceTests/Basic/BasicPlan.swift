import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@Suite("oidcc-basic-certification-test-plan")
struct BasicPlan {
  @Test("oidcc-server: the plain way ends with a code, tokens and a right ID token")
  func server() async throws {
    try await withSite { site in
      for party in [RelyingParty.configured(on: site), try await .registered(on: site)] {
        let signIn = try await party.signIn()
        #expect(signIn.tokens["token_type"] == "Bearer")
        #expect(try await site.userinfo(signIn.accessToken).json["sub"] == signIn.idToken.sub)
      }
    }
  }

  @Test("oidcc-server-client-secret-post: the same with client_secret_post")
  func secretPost() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site, ["token_endpoint_auth_method": "client_secret_post"])
      try await party.signIn()
    }
  }

  @Test("oidcc-response-type-missing: a request without response_type is invalid_request")
  func responseTypeMissing() async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site)
      let request = party.request.with("response_type", nil)
      expectErrorRedirect(try await party.browser().authorize(request), "invalid_request", request)
    }
  }

  @Test("oidcc-idtoken-signature: a client that names no algorithm gets RS256")
  func idTokenSignature() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site)
      #expect(party.algorithm == "RS256")
      try await party.signIn()
    }
  }

  @Test("oidcc-idtoken-unsigned: no client gets ID tokens without a signature")
  func idTokenUnsigned() async throws {
    try await withSite { site in
      let reply = try await site.register(RelyingParty.metadata(["id_token_signed_response_alg": "none"]))
      expectRegistrationError(reply, "invalid_client_metadata")
      #expect(!(try await site.metadata()).strings("id_token_signing_alg_values_supported").contains("none"))
    }
  }

  /// Requests that differ from the plain one in parameters, and have to succeed all the same.
  static let successes: [(name: String, parameters: [(name: String, value: String?)])] = [
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
    oidcc-ensure-request-with-valid-pkce-succeeds: the request succeeds, whatever of it is supported
    """, arguments: BasicPlan.successes)
  func succeeds(_ name: String, _ parameters: [(name: String, value: String?)]) async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site)
      let request = parameters.reduce(party.request) { $0.with($1.name, $1.value) }
      let verifier = request["code_challenge"] == nil ? nil : AuthorizeParameters.verifier
      let signIn = try await party.signIn(request, verifier: verifier)
      let claims = try await site.userinfo(signIn.accessToken).json
      let scope = try #require(request["scope"]).split(separator: " ")
      // OpenID Connect Core §5.4: the claims of a scope are at the userinfo endpoint, and those of no other.
      #expect((claims["name"] == "Ada" && claims["preferred_username"] == "ada") == scope.contains("profile"))
      #expect((claims["email"] == "ada@example.com") == scope.contains("email"))
    }
  }

  @Test("oidcc-alternate-happy-flow: neither the order of the scopes nor that of the parameters matters")
  func alternateOrder() async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site)
      var request = party.request
      request.list.reverse()
      let scope = try #require(request["scope"]).split(separator: " ").reversed().joined(separator: " ")
      try await party.signIn(request.with("scope", scope))
    }
  }

  @Test("oidcc-ensure-post-request-succeeds: the authorization endpoint takes a POST")
  func post() async throws {
    try await withSite { site in
      let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
      let first = try await browser.post(
        "/authorize", party.request.list, headers: [.origin: "https://web.example"])
      #expect(first.status == .seeOther)
      let page = try await browser.open(try #require(first.location))
      let consent = try await browser.signIn(page)
      _ = try await party.receive(try await browser.decide(consent, "allow"), to: party.request)
    }
  }

  @Test("oidcc-ensure-registered-redirect-uri: an unregistered redirect URI gets an error page")
  func unregisteredRedirect() async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site)
      expectErrorPage(
        try await party.browser().authorize(party.request.with("redirect_uri", "https://web.example/cb/unregistered")))
    }
  }

  @Test("oidcc-claims-essential: an essential claim is given at the userinfo endpoint")
  func claimsEssential() async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site)
      let request = party.request.with("scope", "openid").with("claims", #"{"userinfo":{"name":{"essential":true}}}"#)
      let signIn = try await party.signIn(request)
      #expect(try await site.userinfo(signIn.accessToken).json["name"] == "Ada")
    }
  }

  @Test("oidcc-ensure-request-with-acr-values-succeeds: the advertised acr_values may be asked for")
  func acrValues() async throws {
    try await withSite { site in
      let advertised = try await site.metadata().strings("acr_values_supported")
      let party = RelyingParty.configured(on: site)
      let values = advertised.isEmpty ? ["1", "2"] : advertised
      let signIn = try await party.signIn(party.request.with("acr_values", values.joined(separator: " ")))
      if let acr = signIn.idToken.acr { #expect(values.contains(acr)) }
    }
  }
}
