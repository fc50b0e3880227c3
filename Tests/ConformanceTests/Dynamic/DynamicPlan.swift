import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The modules of the Dynamic plan of the OpenID Foundation's conformance suite.
@Suite("oidcc-dynamic-certification-test-plan")
struct DynamicPlan {
  @Test("oidcc-idtoken-rs256: a client that registers RS256 gets ID tokens signed with RS256")
  func rs256() async throws {
    try await withSite { site in
      try await RelyingParty.registered(on: site, ["id_token_signed_response_alg": "RS256"]).signIn()
    }
  }

  @Test("oidcc-userinfo-rs256: the userinfo response is a JWT signed with RS256")
  func signedUserinfo() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site, ["userinfo_signed_response_alg": "RS256"])
      let signIn = try await party.signIn()
      let reply = try await site.userinfo(signIn.accessToken)
      #expect(reply.headers[.contentType] == "application/jwt")
      let claims = try await SignedUserinfo.verified(reply.body, on: site)
      #expect(claims.sub == signIn.idToken.sub && claims.iss == "https://id.example" && claims.aud.values == [party.id])
    }
  }

  @Test(
    "oidcc-ensure-redirect-uri-in-authorization-request: if a client has two redirect URIs, a request without one gets an error page"
  )
  func redirectNamed() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(
        on: site, ["redirect_uris": [.string(RelyingParty.callback), "https://rp.example/second"]])
      expectErrorPage(try await party.browser().authorize(party.request.with("redirect_uri", nil)))
    }
  }

  /// Registered and requested redirect URIs, and whether they match.
  static let queries: [(registered: String, requested: String, matches: Bool)] = [
    ("https://rp.example/cb?dummy1=lorem&dummy2=ipsum", "https://rp.example/cb?dummy1=lorem&dummy2=ipsum", true),
    ("https://rp.example/cb?dummy1=lorem", "https://rp.example/cb?dummy1=other", false),
    ("https://rp.example/cb", "https://rp.example/cb?dummy1=lorem", false),
  ]

  @Test(
    """
    oidcc-redirect-uri-query-OK, oidcc-redirect-uri-query-mismatch, oidcc-redirect-uri-query-added: \
    the query of a redirect URI is compared, and kept in the response
    """, arguments: DynamicPlan.queries)
  func query(_ registered: String, _ requested: String, _ matches: Bool) async throws {
    try await withSite { site in
      var party = try await RelyingParty.registered(on: site, ["redirect_uris": [.string(registered)]])
      party.redirectURI = requested
      if matches {
        #expect(try await party.signIn().parameters["dummy1"] == "lorem")
      } else {
        expectErrorPage(try await party.browser().authorize(party.request))
      }
    }
  }

  @Test("oidcc-redirect-uri-regfrag: a redirect URI with a fragment cannot be registered")
  func fragment() async throws {
    try await withSite { site in
      let reply = try await site.register(RelyingParty.metadata(["redirect_uris": ["https://rp.example/cb#fragment"]]))
      expectRegistrationError(reply, "invalid_redirect_uri")
    }
  }

  @Test("oidcc-registration-sector-uri: a sector_identifier_uri whose document lists the redirect URIs can be registered")
  func sector() async throws {
    let transport = FakeTransport()
    transport.on(
      "https://rp.example/sector",
      respond: .json(encoding: [.string(RelyingParty.callback), "https://rp.example/other"] as JSONValue))
    try await withSite(transport: transport) { site in
      let party = try await RelyingParty.registered(on: site, ["sector_identifier_uri": "https://rp.example/sector"])
      try await party.signIn()
    }
  }

  @Test(
    """
    oidcc-registration-sector-bad: a registration fails with invalid_client_metadata if its sector_identifier_uri is not an https URL or is on \
    the server's own machine, or if the document at this URL cannot be fetched, is not JSON, or does not list the redirect URIs
    """,
    arguments: [
      "https://rp.example/bad", "https://rp.example/none", "https://rp.example/text", "http://rp.example/sector",
      "https://127.0.0.1/sector", "https://localhost/sector",
    ])
  func badSector(_ uri: String) async throws {
    let transport = FakeTransport()
    // No document is at https://rp.example/none. The documents at the last three URLs would be valid.
    let list: JSONValue = [.string(RelyingParty.callback)]
    transport.on("https://rp.example/bad", respond: .json(encoding: ["https://rp.example/other"] as JSONValue))
    transport.on("https://rp.example/text", respond: .text(RelyingParty.callback, status: .ok))
    for url in ["http://rp.example/sector", "https://127.0.0.1/sector", "https://localhost/sector"] {
      transport.on(url, respond: .json(encoding: list))
    }
    try await withSite(transport: transport) { site in
      expectRegistrationError(
        try await site.register(RelyingParty.metadata(["sector_identifier_uri": .string(uri)])), "invalid_client_metadata")
    }
  }

  @Test(
    "oidcc-server-rotate-keys: after a rotation, the old and new keys are published, and a new key signs ID tokens after the lead time"
  )
  func rotation() async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site)
      let before = try await party.signIn()
      let keys = KeyManagement(
        store: site.fixture.store, masterKey: site.fixture.masterKey, lifetimes: site.fixture.server.configuration.lifetimes,
        now: site.fixture.clock.source)
      let old = try await keys.list()
      let new = try await keys.rotate()
      site.fixture.server.cache.invalidate()
      let published = try await site.send(.get, "/jwks.json").body
      for key in old + new { #expect(published.contains(key.id)) }
      site.fixture.clock.advance(by: site.fixture.server.configuration.lifetimes.keyPublicationLead)
      let after = try await party.signIn()
      #expect(after.idToken.keyID != before.idToken.keyID && new.map(\.id).contains(after.idToken.keyID))
    }
  }

  @Test(
    """
    oidcc-ensure-client-assertion-with-iss-aud-succeeds: the audience of a client assertion may be the issuer, \
    or the token endpoint for clients outside FAPI 2.0
    """, arguments: ["https://id.example", "https://id.example/token"])
  func assertionAudience(_ audience: String) async throws {
    try await withSite { site in
      let key = TestSigningKey.es256(id: "1")
      let party = try await RelyingParty.registered(on: site, key: key)
      let code = try #require(try await party.browser().complete(party.request).parameters["code"])
      let assertion = try jwt(key, party.assertionClaims.merging(["aud": .string(audience)]) { $1 })
      #expect(try await party.redeem(code, changing: ["client_assertion": assertion]).status == .ok)
    }
  }
}
