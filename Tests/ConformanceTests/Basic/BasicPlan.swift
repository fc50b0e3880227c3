import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The modules of the Basic plan of the OpenID Foundation's conformance suite. The display name of a test usually
/// begins with the names of the modules that it covers. The Form Post Basic plan runs the same modules with
/// `response_mode=form_post`.
@Suite(
  "oidcc-basic-certification-test-plan, oidcc-formpost-basic-certification-test-plan, oidcc-dynamic-certification-test-plan")
struct BasicPlan {
  @Test("oidcc-server: a code flow returns a code, tokens, and a valid ID token", arguments: ResponseMode.allCases)
  func server(_ mode: ResponseMode) async throws {
    try await withSite { site in
      for party in [RelyingParty.configured(on: site), try await .registered(on: site)] {
        let signIn = try await party.receiving(by: mode).signIn()
        #expect(signIn.tokens["token_type"] == "Bearer")
        #expect(try await site.userinfo(signIn.accessToken).json["sub"] == signIn.idToken.sub)
      }
    }
  }

  @Test(
    "oidcc-server-client-secret-post: a client that authenticates with client_secret_post signs in",
    arguments: ResponseMode.allCases)
  func secretPost(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site, ["token_endpoint_auth_method": "client_secret_post"])
      try await party.receiving(by: mode).signIn()
    }
  }

  @Test("oidcc-response-type-missing: a request without response_type is invalid_request", arguments: ResponseMode.allCases)
  func responseTypeMissing(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site).receiving(by: mode)
      let request = party.request.with("response_type", nil)
      try party.expectError(try await party.browser().authorize(request), "invalid_request", request)
    }
  }

  @Test(
    "oidcc-idtoken-signature: a client that registers no algorithm gets ID tokens signed with RS256",
    arguments: ResponseMode.allCases)
  func idTokenSignature(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site)
      #expect(party.algorithm == "RS256")
      try await party.receiving(by: mode).signIn()
    }
  }

  @Test("oidcc-idtoken-unsigned: a client cannot register for unsigned ID tokens")
  func idTokenUnsigned() async throws {
    try await withSite { site in
      let reply = try await site.register(RelyingParty.metadata(["id_token_signed_response_alg": "none"]))
      expectRegistrationError(reply, "invalid_client_metadata")
      #expect(!(try await site.metadata()).strings("id_token_signing_alg_values_supported").contains("none"))
    }
  }

  @Test(
    "oidcc-alternate-happy-flow: the order of the scopes and of the parameters does not matter", arguments: ResponseMode.allCases)
  func alternateOrder(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site).receiving(by: mode)
      var request = party.request
      request.list.reverse()
      let scope = try #require(request["scope"]).split(separator: " ").reversed().joined(separator: " ")
      try await party.signIn(request.with("scope", scope))
    }
  }

  @Test("oidcc-ensure-post-request-succeeds: the authorization endpoint accepts POST", arguments: ResponseMode.allCases)
  func post(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let (party, browser) = (RelyingParty.configured(on: site).receiving(by: mode), TestBrowser(site))
      var page = try await browser.post("/authorize", party.request.list, headers: [.origin: "https://web.example"])
      if let location = page.location { page = try await browser.open(location) }
      let consent = try await browser.signIn(page)
      _ = try await party.receive(try await browser.decide(consent, "allow"), to: party.request)
    }
  }

  @Test(
    "oidcc-ensure-registered-redirect-uri: a redirect URI that is not registered gets an error page",
    arguments: ResponseMode.allCases)
  func unregisteredRedirect(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site).receiving(by: mode)
      expectErrorPage(
        try await party.browser().authorize(party.request.with("redirect_uri", "https://web.example/cb/unregistered")))
    }
  }

  @Test(
    "oidcc-claims-essential: the userinfo endpoint returns an essential claim that is not in the scope",
    arguments: ResponseMode.allCases)
  func claimsEssential(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let party = RelyingParty.configured(on: site).receiving(by: mode)
      let request = party.request.with("scope", "openid").with("claims", #"{"userinfo":{"name":{"essential":true}}}"#)
      let signIn = try await party.signIn(request)
      #expect(try await site.userinfo(signIn.accessToken).json["name"] == "Ada")
    }
  }

  @Test(
    "oidcc-ensure-request-with-acr-values-succeeds: the ID token has one of the requested acr values that the server advertises",
    arguments: ResponseMode.allCases)
  func acrValues(_ mode: ResponseMode) async throws {
    try await withSite { site in
      let advertised = try await site.metadata().strings("acr_values_supported")
      #expect(!advertised.isEmpty)
      let party = RelyingParty.configured(on: site).receiving(by: mode)
      let signIn = try await party.signIn(party.request.with("acr_values", advertised.joined(separator: " ")))
      #expect(advertised.contains(try #require(signIn.idToken.acr)))
    }
  }
}
