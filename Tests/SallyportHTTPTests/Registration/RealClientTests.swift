import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Registrations and sign-ins as existing clients send them.
@Suite("Real clients", .timeLimit(.minutes(5)))
struct RealClientTests {
  private static let api = "https://mcp.example/mcp"

  /// The metadata that Claude Code registers, and that its client ID document contains.
  static let claudeCode: JSONValue = [
    "client_name": "Claude Code (notes)", "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
    "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none",
    "scope": "openid offline_access",
  ]

  /// The metadata that Cursor registers.
  static let cursor: JSONValue = [
    "client_name": "Cursor",
    "redirect_uris": [
      "cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
    "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none",
    "client_uri": "",
  ]

  private func request(_ client: String, _ redirectURI: String) -> AuthorizeParameters {
    AuthorizeParameters(redirectURI: redirectURI).with("client_id", client).with("resource", Self.api)
  }

  /// Signs in, consents, redeems the code for the API, and refreshes.
  private func signIn(
    _ site: Site, _ client: String, _ redirectURI: String, secret: String? = nil
  ) async throws {
    let browser = TestBrowser(site)
    let page = try await browser.authorize(self.request(client, redirectURI))
    #expect(page.isSignInPage)
    let consent = try await browser.signIn(page)
    #expect(consent.isConsentPage && consent.body.contains("unverified"))
    let response = try await browser.decide(consent, "allow")
    #expect(response.location?.hasPrefix(redirectURI + "?") == true && response.parameters["iss"] == "https://id.example")
    let changes: [String: String?] = [
      "client_id": client, "redirect_uri": redirectURI, "resource": Self.api, "client_secret": secret,
    ]
    let tokens = try Tokens(try await site.redeem(try #require(response.parameters["code"]), changing: changes))
    #expect(try decodedClaims(of: tokens.access)["aud"] as? String == Self.api)
    let refreshed = try await site.refresh(
      tokens.refresh, changing: ["client_id": client, "resource": Self.api, "client_secret": secret])
    #expect(refreshed.status == .ok)
    // S-14: the next sign-in requires consent again.
    #expect(try await browser.authorize(self.request(client, redirectURI)).isConsentPage)
  }

  /// Expects an error page for a request with each of these redirect URIs.
  private func expectUnknownRedirect(_ site: Site, _ client: String, _ redirectURIs: [String]) async throws {
    for uri in redirectURIs { expectErrorPage(try await TestBrowser(site).authorize(self.request(client, uri))) }
  }

  @Test("S-07, S-14: Claude Code registers http://localhost/callback and gets the response on any port")
  func registeredClaudeCode() async throws {
    try await withSite { site in
      let reply = try await site.register(Self.claudeCode)
      #expect(reply.status == .created)
      let registration = try reply.registration
      #expect(registration.metadata.applicationType == "native" && registration.clientSecret == nil)
      try await self.signIn(site, registration.clientID, "http://localhost:54212/callback")
      try await self.signIn(site, registration.clientID, "http://127.0.0.1:49152/callback")
      try await self.expectUnknownRedirect(
        site, registration.clientID,
        [
          "http://[::1]:54212/callback", "http://localhost:54212/other", "http://localhost.evil.example:54212/callback",
          "http://LOCALHOST:54212/callback", "https://localhost:54212/callback",
        ])
    }
  }

  @Test("S-07: localhost never matches an IP literal, or the other way around, and localhost with a port matches no other port")
  func localhostAlone() async throws {
    try await withSite { site in
      for (registered, others) in [
        ("http://localhost/callback", ["http://127.0.0.1:5000/callback", "http://[::1]:5000/callback"]),
        ("http://127.0.0.1/callback", ["http://localhost:5000/callback", "http://localhost/callback"]),
        ("http://localhost:5001/callback", ["http://localhost:5000/callback", "http://localhost/callback"]),
      ] {
        var metadata = Self.claudeCode
        metadata["redirect_uris"] = [.string(registered)]
        let client = try await site.register(metadata).registration.clientID
        try await self.expectUnknownRedirect(site, client, others)
      }
      // A localhost URI of an operator's client matches no other port, unless `allowsAnyLocalhostPort` is set.
      var operatorClient = try TestClient.localhost.record
      operatorClient.redirectURIs = [try RedirectURI("http://localhost/callback")]
      try await site.add(operatorClient)
      try await self.expectUnknownRedirect(site, "localhost", ["http://localhost:5000/callback"])
    }
  }

  @Test("S-07, S-31: Claude Code with a client ID document gets the response on any port of localhost")
  func documentOfClaudeCode() async throws {
    let (transport, id) = (FakeTransport(), "https://claude.example/oauth/claude-code.json")
    var document = Self.claudeCode
    document["client_id"] = .string(id)
    transport.on(id, respond: .json(encoding: document))
    try await withSite(transport: transport) { site in
      try await self.signIn(site, id, "http://localhost:3118/callback")
      try await self.expectUnknownRedirect(site, id, ["http://[::1]:3118/callback", "http://localhost:3118/other"])
    }
  }

  @Test("S-09, S-10: Cursor registers with its own scheme if the operator allows it", arguments: [nil, "web", "native"])
  func registeredCursor(type: String?) async throws {
    var metadata = Self.cursor
    // Cursor does not authenticate and has redirect URIs of a native app, so it counts as native whatever type it
    // registers.
    metadata["application_type"] = type.map { .string($0) }
    try await withSite(configure: { $0.registration.schemes = ["cursor"] }) { [metadata] site in
      let reply = try await site.register(metadata)
      #expect(reply.status == .created)
      let registration = try reply.registration
      #expect(registration.metadata.redirectURIs?.count == 3 && registration.metadata.applicationType == "native")
      #expect(registration.metadata.clientURI == nil)
      for uri in registration.metadata.redirectURIs ?? [] { try await self.signIn(site, registration.clientID, uri) }
      try await self.expectUnknownRedirect(
        site, registration.clientID,
        ["cursor://anysphere.cursor-mcp/other", "cursor:/oauth/callback", "vscode://anysphere.cursor-mcp/oauth/callback"])
    }
  }

  @Test("S-09: if Cursor's scheme is not allowed, it is missing from the registration response, and no request can use it")
  func cursorWithoutScheme() async throws {
    try await withSite { site in
      let registration = try await site.register(Self.cursor).registration
      #expect(
        registration.metadata.redirectURIs == [
          "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback",
        ])
      try await self.expectUnknownRedirect(site, registration.clientID, ["cursor://anysphere.cursor-mcp/oauth/callback"])
      try await self.signIn(site, registration.clientID, "http://localhost:8787/callback")
    }
  }

  @Test("S-09: there are no redirects to a scheme that the operator removed from the list")
  func withdrawnScheme() async throws {
    try await withSite { site in
      var client = try TestClient.dynamic.record
      let uri = "cursor://anysphere.cursor-mcp/oauth/callback"
      client.redirectURIs = [try RedirectURI(uri, schemes: UndottedSchemes(["cursor"]))]
      try await site.add(client)
      #expect(try await site.client("dynamic")?.redirectURIs.map(\.value) == [uri])
      try await self.expectUnknownRedirect(site, "dynamic", [uri])
    }
  }

  @Test("openid-client registers for client_secret_post by default, and signs in with nonce and PKCE")
  func openIDClient() async throws {
    try await withSite { site in
      let registration = try await site.register([
        "redirect_uris": ["https://app.example/callback"], "token_endpoint_auth_method": "client_secret_post",
        "grant_types": ["authorization_code", "refresh_token"],
      ]).registration
      let secret = try #require(registration.clientSecret).reveal()
      try await self.signIn(site, registration.clientID, "https://app.example/callback", secret: secret)
    }
  }

  @Test(
    "S-10: oidc-agent and idpyoidc register web and native redirects without application_type",
    arguments: [
      (["edu.kit.data.oidc-agent:/redirect", "https://redirect.example/cb", "http://localhost:8080"], "native"),
      (["https://rp.example/authz_cb", "http://localhost:8090/authz_cb"], "web"),
    ])
  func mixedRedirects(uris: [String], type: String) async throws {
    try await withSite { site in
      let registration = try await site.register([
        "client_name": "agent", "redirect_uris": .array(uris.map { .string($0) }),
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": ["code"],
      ]).registration
      #expect(registration.metadata.redirectURIs == uris && registration.metadata.applicationType == type)
      // By default, clients that register themselves do not get the device grant.
      #expect(registration.metadata.grantTypes == ["authorization_code", "refresh_token"])
      let secret = try #require(registration.clientSecret).reveal()
      for uri in uris { try await self.signIn(site, registration.clientID, uri, secret: secret) }
    }
  }
}
