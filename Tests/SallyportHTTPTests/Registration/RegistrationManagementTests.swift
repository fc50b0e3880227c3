import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Client configuration endpoint", .timeLimit(.minutes(5)))
struct RegistrationManagementTests {
  @Test("S-13: a client reads, updates, and deletes its registration with its token, and deletion revokes its grants")
  func lifeCycle() async throws {
    try await withSite { site in
      let created = try await site.register(Site.mcpClient).registration
      let (id, token) = (created.clientID, try #require(created.registrationAccessToken).reveal())
      let read = try await site.manage(.get, id, token: token)
      #expect(read.status == .ok && read.headers[.cacheControl] == "no-store")
      #expect(try read.registration.metadata == created.metadata)
      #expect(try read.registration.registrationAccessToken?.reveal() == token)

      var changed = Site.mcpClient
      changed["client_id"] = .string(id)
      changed["client_name"] = "Other"
      changed["redirect_uris"] = ["http://[::1]/new"]
      let update = try await site.manage(.put, id, token: token, changed)
      #expect(update.status == .ok)
      #expect(try update.registration.metadata.redirectURIs == ["http://[::1]/new"])
      let request = AuthorizeParameters(.loopback, redirectURI: "http://[::1]:5000/new").with("client_id", id)
      expectErrorPage(try await TestBrowser(site).authorize(request.with("redirect_uri", "http://127.0.0.1:5000/cb")))
      let code = try await site.code(request)
      let tokens = try Tokens(
        try await site.redeem(code, changing: ["client_id": id, "redirect_uri": "http://[::1]:5000/new"]))

      #expect(try await site.manage(.delete, id, token: token).status == .noContent)
      #expect(try await site.client(id) == nil)
      #expect(try await site.userinfo(tokens.access).status == .unauthorized)
      expectRegistrationError(try await site.manage(.get, id, token: token), "invalid_token", status: .unauthorized)
    }
  }

  @Test("S-13: a client can be managed only with its token, and the error does not reveal whether the client exists")
  func foreignTokens() async throws {
    try await withSite { site in
      let one = try await site.register(Site.mcpClient).registration
      let other = try await site.register(Site.mcpClient).registration
      let otherToken = try #require(other.registrationAccessToken).reveal()
      var update = Site.mcpClient
      update["client_id"] = .string(one.clientID)
      for id in [one.clientID, "nobody", TestClient.web.rawValue, TestClient.dynamic.rawValue, "%00"] {
        for method in [HTTPRequest.Method.get, .put, .delete] {
          for token in [otherToken, "x", nil] {
            let reply = try await site.manage(method, id, token: token, method == .put ? update : nil)
            expectRegistrationError(reply, "invalid_token", status: .unauthorized)
            #expect(reply.headers[.wwwAuthenticate] == (token == nil ? "Bearer" : #"Bearer error="invalid_token""#))
          }
        }
      }
      #expect(try await site.client(one.clientID) != nil)
    }
  }

  @Test(
    "S-13: an update cannot change what the server assigned",
    arguments: [
      ("client_id", JSONValue.null), ("client_id", "other"), ("client_secret", "guess"), ("registration_access_token", "x"),
      ("registration_client_uri", "https://id.example/x"), ("client_secret_expires_at", 0), ("client_id_issued_at", 1),
    ])
  func assignedMembers(member: String, value: JSONValue) async throws {
    try await withSite { site in
      let created = try await site.register(Site.mcpClient).registration
      var update = Site.mcpClient
      update["client_id"] = .string(created.clientID)
      update[member] = value
      let reply = try await site.manage(.put, created.clientID, token: created.registrationAccessToken?.reveal(), update)
      expectRegistrationError(reply, "invalid_client_metadata")
      #expect(reply.body.contains("\"\(member) is"))
    }
  }

  @Test("S-34: a client that becomes public loses its secret, and a client that becomes confidential gets a secret")
  func changedMethod() async throws {
    try await withSite { site in
      let created = try await site.register(Site.mcpClient).registration
      let (id, token) = (created.clientID, created.registrationAccessToken?.reveal())
      var update = Site.mcpClient
      update["client_id"] = .string(id)
      update["token_endpoint_auth_method"] = "client_secret_post"
      let confidential = try await site.manage(.put, id, token: token, update).registration
      let secret = try #require(confidential.clientSecret)
      update["client_secret"] = .string(secret.reveal())
      #expect(try await site.manage(.put, id, token: token, update).registration.clientSecret == nil)
      #expect(try await site.client(id)?.secretFingerprint == Fingerprint(of: secret))
      update["token_endpoint_auth_method"] = "none"
      #expect(try await site.manage(.put, id, token: token, update).registration.clientSecret == nil)
      #expect(try await site.client(id)?.secretFingerprint == nil)
    }
  }

  @Test("S-32: the rules for the redirect URIs of a registration apply to updates too")
  func updateRules() async throws {
    try await withSite { site in
      let created = try await site.register(Site.mcpClient).registration
      var update = Site.mcpClient
      update["client_id"] = .string(created.clientID)
      // The scheme is registered with IANA, so no app can own it.
      update["redirect_uris"] = ["soap.beep:/cb"]
      expectRegistrationError(
        try await site.manage(.put, created.clientID, token: created.registrationAccessToken?.reveal(), update),
        "invalid_redirect_uri")
      #expect(try await site.client(created.clientID)?.redirectURIs.map(\.value) == created.metadata.redirectURIs)
    }
  }

  @Test(
    "RFC 7592 §2.2: a client can update its registration ten times per minute, and other clients are not affected"
  )
  func updateQuota() async throws {
    try await withSite { site in
      let (first, second) = (
        try await site.register(Site.mcpClient).registration, try await site.register(Site.mcpClient).registration
      )
      func update(_ client: RegistrationResponse) async throws -> Reply {
        var update = Site.mcpClient
        update["client_id"] = .string(client.clientID)
        return try await site.manage(.put, client.clientID, token: client.registrationAccessToken?.reveal(), update)
      }
      for _ in 0..<10 { #expect(try await update(first).status == .ok) }
      #expect(try await update(first).json["error"] == "temporarily_unavailable")
      #expect(try await update(second).status == .ok)
    }
  }
}
