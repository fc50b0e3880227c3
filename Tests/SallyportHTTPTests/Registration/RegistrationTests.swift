import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Dynamic registration", .timeLimit(.minutes(5)))
struct RegistrationTests {
  @Test("S-13, S-34: a public client registers, gets no secret, and users sign in with any loopback port")
  func publicClient() async throws {
    try await withSite { site in
      let reply = try await site.register(Site.mcpClient)
      #expect(reply.status == .created)
      #expect(reply.headers[.cacheControl] == "no-store")
      let response = try reply.registration
      #expect(response.clientSecret == nil && response.clientSecretExpiresAt == nil)
      #expect(response.registrationClientURI == "https://id.example/register/\(response.clientID)")
      #expect(response.metadata.applicationType == "native")
      #expect(response.metadata.tokenEndpointAuthMethod == "none")
      #expect(response.metadata.idTokenSignedResponseAlg == "RS256")
      let client = try #require(try await site.client(response.clientID))
      #expect(client.type == .public && client.applicationType == .native && client.origin == .dynamic)

      var request = AuthorizeParameters(.loopback, redirectURI: "http://127.0.0.1:50123/cb")
      request = request.with("client_id", response.clientID)
      let code = try await site.code(request)
      let tokens = try await site.redeem(
        code, changing: ["client_id": response.clientID, "redirect_uri": "http://127.0.0.1:50123/cb"])
      #expect(tokens.status == .ok)
      // S-07: the client registered a localhost URI with the port 33418, which matches no other port.
      for (uri, isAccepted) in [("http://localhost:33418/cb", true), ("http://localhost:1/cb", false)] {
        let page = try await TestBrowser(site).authorize(request.with("redirect_uri", uri))
        #expect((page.status != .badRequest) == isAccepted)
      }
    }
  }

  @Test(
    "S-13: a native app with its own secret is confidential, and must still use PKCE",
    arguments: [
      "client_secret_basic", "client_secret_post",
    ])
  func perInstanceSecret(method: String) async throws {
    try await withSite { site in
      var metadata = Site.mcpClient
      metadata["token_endpoint_auth_method"] = .string(method)
      let (one, other) = (try await site.register(metadata).registration, try await site.register(metadata).registration)
      let secret = try #require(one.clientSecret)
      #expect(one.clientSecretExpiresAt == 0)
      #expect(secret != other.clientSecret && one.clientID != other.clientID)
      #expect(try !site.fixture.contents().contains(secret.reveal()))
      let client = try #require(try await site.client(one.clientID))
      #expect(client.isConfidential && client.requiresPKCE)

      let request = AuthorizeParameters().with("client_id", one.clientID)
      let code = try await site.code(request)
      let changes = ["client_id": one.clientID]
      expectTokenError(try await site.redeem(code, changing: changes), "invalid_client", status: .unauthorized)
      let withOtherSecret = changes.merging(["client_secret": other.clientSecret?.reveal() ?? ""]) { $1 }
      expectTokenError(try await site.redeem(code, changing: withOtherSecret), "invalid_client", status: .unauthorized)
      let page = try await TestBrowser(site).authorize(request.with("code_challenge", nil).with("code_challenge_method", nil))
      expectErrorPage(page)
    }
  }

  /// - Parameter outcome: The expected application type and client type, or the expected error code.
  @Test(
    "S-10: client type and application type are stored, and invalid or contradictory registrations are rejected",
    arguments: [
      (#"{"redirect_uris":["https://a.example/cb"]}"#, "web confidential"),
      (#"{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"none"}"#, "web public"),
      (#"{"redirect_uris":["com.example.a:/cb"]}"#, "native confidential"),
      (#"{"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none"}"#, "native public"),
      (
        #"{"redirect_uris":["https://a.example/cb","http://127.0.0.1/cb"],"application_type":"native","token_endpoint_auth_method":"none"}"#,
        "native public"
      ),
      (#"{"redirect_uris":["https://a.example/cb","http://127.0.0.1/cb"]}"#, "web confidential"),
      (#"{"redirect_uris":["https://a.example/cb","com.example.a:/cb"]}"#, "native confidential"),
      (#"{"redirect_uris":["http://127.0.0.1/cb"],"application_type":"web"}"#, "web confidential"),
      (#"{"redirect_uris":["com.example.a:/cb"],"application_type":"web"}"#, "invalid_redirect_uri"),
      (
        #"{"redirect_uris":["http://127.0.0.1/cb"],"application_type":"web","token_endpoint_auth_method":"none"}"#,
        "native public"
      ),
      (#"{"redirect_uris":["soap.beep:/cb"]}"#, "invalid_redirect_uri"),
      (#"{"redirect_uris":["myapp:/cb"]}"#, "invalid_redirect_uri"),
      (#"{"redirect_uris":["javascript:alert(1)"]}"#, "invalid_redirect_uri"),
      (#"{"redirect_uris":["http://a.example/cb"]}"#, "invalid_redirect_uri"),
      (#"{"redirect_uris":["https://a.example/cb#x"]}"#, "invalid_redirect_uri"), ("{}", "invalid_redirect_uri"),
      (
        #"{"redirect_uris":["https://a.example/cb"],"grant_types":["implicit"],"response_types":["token"]}"#,
        "invalid_client_metadata"
      ),
      (
        #"{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"client_secret_jwt"}"#, "invalid_client_metadata"
      ),
      (#"{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"private_key_jwt"}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":["https://a.example/cb"],"jwks_uri":"http://127.0.0.1/jwks"}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":["https://a.example/cb"],"id_token_signed_response_alg":"none"}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":["https://a.example/cb"],"subject_type":"pairwise"}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":["https://a.example/cb"],"scope":"admin"}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":[],"grant_types":["client_credentials"]}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":["https://a.example/cb"],"client_name":"a\u202Eb"}"#, "invalid_client_metadata"),
      (#"{"redirect_uris":"https://a.example/cb"}"#, "invalid_client_metadata"), ("[]", "invalid_client_metadata"),
      ("", "invalid_client_metadata"),
    ])
  func types(body: String, outcome: String) async throws {
    try await withSite { site in
      let reply = try await site.send(.post, "/register", headers: [.contentType: "application/json"], body: Array(body.utf8))
      if outcome.hasPrefix("invalid") {
        expectRegistrationError(reply, outcome)
        #expect(try site.fixture.rows()["client"] == TestClient.allCases.count)
      } else {
        let client = try #require(try await site.client(try reply.registration.clientID))
        #expect("\(client.applicationType.rawValue) \(client.type.rawValue)" == outcome)
        #expect(try (reply.registration.clientSecret == nil) == (client.type == .public))
      }
    }
  }

  @Test("a client cannot register itself for the client credentials grant, or for scopes that the operator has not allowed")
  func limits() async throws {
    try await withSite { site in
      var metadata = Site.mcpClient
      metadata["grant_types"] = ["authorization_code", "client_credentials", "urn:example:new"]
      metadata["token_endpoint_auth_method"] = "client_secret_basic"
      metadata["scope"] = "openid notes admin"
      let response = try await site.register(metadata).registration
      #expect(response.metadata.grantTypes == ["authorization_code"])
      #expect(response.metadata.scope == "openid")
      #expect(try await site.client(response.clientID)?.isFirstParty == false)
    }
  }

  @Test("registration can be off, require a token, or be open")
  func modes() async throws {
    try await withSite(configure: { $0.registration.mode = .off }) { site in
      #expect(try await site.register(Site.mcpClient).status == .notFound)
      let metadata = try await site.send(.get, "/.well-known/oauth-authorization-server")
      #expect(metadata.json["registration_endpoint"] == nil)
    }
    try await withSite(configure: { $0.registration.mode = .token }) { site in
      let missing = try await site.register(Site.mcpClient)
      expectRegistrationError(missing, "invalid_token", status: .unauthorized)
      #expect(missing.headers[.wwwAuthenticate] == "Bearer")
      let token = InitialAccessToken.random()
      let now = site.fixture.clock.now
      let record = InitialAccessTokenRecord(
        fingerprint: token.fingerprint, label: "ci", createdAt: now, expiresAt: now + .seconds(60), remainingUses: 2)
      try await site.fixture.store.write { (tx) throws(StoreError) in try tx.insert(record) }
      for wrong in ["x", InitialAccessToken.random().text.reveal(), token.text.reveal() + "x"] {
        expectRegistrationError(try await site.register(Site.mcpClient, token: wrong), "invalid_token", status: .unauthorized)
      }
      // Invalid metadata does not use up the token.
      expectRegistrationError(try await site.register([:], token: token.text.reveal()), "invalid_redirect_uri")
      for expected in [HTTPResponse.Status.created, .created, .unauthorized] {
        #expect(try await site.register(Site.mcpClient, token: token.text.reveal()).status == expected)
      }
    }
    try await withSite { site in
      let metadata = try await site.send(.get, "/.well-known/oauth-authorization-server")
      #expect(metadata.json["registration_endpoint"] == "https://id.example/register")
    }
  }

  @Test("registrations without a token can use half of the quota per minute")
  func quotas() async throws {
    try await withSite(configure: { $0.registration.perMinute = 6 }) { site in
      for _ in 0..<3 { #expect(try await site.register(Site.mcpClient).status == .created) }
      let rejected = try await site.register(Site.mcpClient)
      expectRegistrationError(rejected, "temporarily_unavailable", status: .tooManyRequests)
      #expect(rejected.headers[.retryAfter] == "60")
      site.fixture.clock.advance(by: .seconds(61))
      #expect(try await site.register(Site.mcpClient).status == .created)
    }
  }

  @Test("a client that never obtained a grant is removed after seven days, and a client in use stays")
  func expiry() async throws {
    try await withSite { site in
      let (used, unused) = (
        try await site.register(Site.mcpClient).registration, try await site.register(Site.mcpClient).registration
      )
      let code = try await site.code(AuthorizeParameters().with("client_id", used.clientID))
      #expect(try await site.redeem(code, changing: ["client_id": used.clientID]).status == .ok)
      site.fixture.clock.advance(by: .seconds(8 * 86_400))
      // Each call removes at most 100 rows.
      while try await site.fixture.store.removeExpired(before: site.fixture.clock.now, limit: 100) == 100 {}
      #expect(try await site.client(used.clientID) != nil)
      #expect(try await site.client(unused.clientID) == nil)
    }
  }

  @Test(
    "a body that has another media type or is too large is rejected",
    arguments: [
      ("text/plain", 10, HTTPResponse.Status.unsupportedMediaType),
      ("application/x-www-form-urlencoded", 10, .unsupportedMediaType), ("application/json", 70_000, .contentTooLarge),
    ])
  func bodies(type: String, size: Int, status: HTTPResponse.Status) async throws {
    try await withSite { site in
      let body = [UInt8](repeating: UInt8(ascii: " "), count: size)
      let reply = try await site.send(.post, "/register", headers: [.contentType: type], body: body)
      expectRegistrationError(reply, "invalid_client_metadata", status: status)
    }
  }
}
