import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Client credentials, introspection, and revocation")
struct ClientCredentialsTests {
  /// Returns a confidential client that may use the client credentials grant.
  /// - Parameter audiences: The audiences of the tokens that the client may introspect.
  private func service(_ id: String = "service", audiences: [String]? = nil) throws -> ClientRecord {
    var client = ClientRecord(
      id: ClientID(rawValue: id), name: "Robot", type: .confidential, applicationType: .web, redirectURIs: [],
      scope: "openid notes tasks", authenticationMethod: .clientSecretPost,
      secretFingerprint: Fingerprint(of: Secret(TestClient.secret)), grantTypes: [.clientCredentials],
      createdAt: Timestamp(seconds: 1))
    client.details.audiences = audiences
    return client
  }

  private func post(
    _ site: Site, _ path: String, _ fields: [(name: String, value: String)], as client: String = "service"
  ) async throws -> Reply {
    try await site.post(path, fields + [("client_id", client), ("client_secret", TestClient.secret)])
  }

  private func introspect(_ site: Site, _ token: String, as client: String = "service") async throws -> [String: Any] {
    let reply = try await self.post(site, "/introspect", [("token", token)], as: client)
    #expect(reply.status == .ok && reply.headers[.cacheControl] == "no-store")
    return try #require(JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any])
  }

  @Test("S-38: a service gets an access token without a user, but no refresh token; no account can have the token's sub")
  func credentials() async throws {
    try await withSite { site in
      try await site.add(try self.service())
      let reply = try await self.post(site, "/token", [("grant_type", "client_credentials")])
      #expect(reply.status == .ok && reply.json["scope"] == "notes tasks")
      #expect(reply.json["refresh_token"] == nil && reply.json["id_token"] == nil)
      let claims = try decodedClaims(of: try #require(reply.json["access_token"]))
      #expect(claims["sub"] as? String == "service" && claims["client_id"] as? String == "service")
      #expect(claims["grant_id"] == nil && claims["auth_time"] == nil)
      #expect(try await site.userinfo(try #require(reply.json["access_token"])).status == .forbidden)
      for scope in ["openid", "notes openid", "offline_access", "admin", "notes \"x\""] {
        expectTokenError(
          try await self.post(site, "/token", [("grant_type", "client_credentials"), ("scope", scope)]), "invalid_scope")
      }
      // S-38: a client ID cannot begin with the prefix of account IDs.
      var registration = ClientRegistration(id: "acct-1", name: "x", kind: .service, redirectURIs: [], scope: "notes")
      #expect(throws: ClientRegistrationError.invalidClientID) { try registration.register(at: Timestamp(seconds: 1)) }
      registration.id = "robot"
      #expect(try registration.register(at: Timestamp(seconds: 1)).record.grantTypes == [.clientCredentials])
    }
  }

  @Test("RFC 6749 §3.3: if a service has no scope values, the response and the token contain no scope")
  func withoutScope() async throws {
    try await withSite { site in
      var client = try self.service()
      client.scope = "openid profile"
      try await site.add(client)
      let reply = try await self.post(site, "/token", [("grant_type", "client_credentials")])
      #expect(reply.status == .ok && reply.json["scope"] == nil)
      let token = try #require(reply.json["access_token"])
      #expect(try decodedClaims(of: token)["scope"] == nil)
      let introspection = try await self.introspect(site, token)
      #expect(introspection["active"] as? Bool == true && introspection["scope"] == nil)
    }
  }

  @Test(
    "S-12: a public client, or a native app with a static secret, cannot use the client credentials grant",
    arguments: [TestClient.loopback, .staticSecret, .claimedHTTPS])
  func publicClients(client: TestClient) async throws {
    try await withSite { site in
      var record = try client.record
      record.grantTypes.append(.clientCredentials)
      try await site.add(record)
      expectTokenError(
        try await site.post("/token", [("grant_type", "client_credentials"), ("client_id", client.rawValue)]),
        "unauthorized_client")
    }
  }

  @Test("RFC 7591: a client can use only its registered grant types")
  func grantTypes() async throws {
    try await withSite { site in
      for type in ["client_credentials", "urn:ietf:params:oauth:grant-type:device_code"] {
        expectTokenError(
          try await site.post("/token", [("grant_type", type), ("client_id", "loopback"), ("device_code", "x")]),
          "unauthorized_client")
      }
      try await site.add(try self.service())
      expectTokenError(
        try await self.post(site, "/token", [("grant_type", "refresh_token"), ("refresh_token", "x")]), "unauthorized_client")
    }
  }

  @Test("RFC 7662: a token's client can introspect it, and so can the API that an access token is for, but no other client")
  func introspection() async throws {
    try await withSite { site in
      try await site.add(try self.service(audiences: ["https://id.example"]))
      try await site.add(try self.service("other", audiences: ["https://other.example"]))
      let tokens = try await site.tokens(.web)
      let details = try await self.introspect(site, tokens.access)
      #expect(
        details["active"] as? Bool == true && details["username"] as? String == "ada" && details["client_id"] as? String == "web")
      #expect(details["token_type"] as? String == "Bearer" && details["iss"] as? String == "https://id.example")
      for (token, client) in [
        (tokens.access, "other"), (tokens.refresh, "service"), (tokens.id, "service"), ("x", "service"), ("x.y.z", "web"),
      ] {
        let response = try await self.introspect(site, token, as: client)
        #expect(response.count == 1 && response["active"] as? Bool == false)
      }
      #expect(try await self.introspect(site, tokens.access, as: "web")["active"] as? Bool == true)
      #expect(try await self.introspect(site, tokens.refresh, as: "web")["active"] as? Bool == true)
      #expect(try await self.post(site, "/revoke", [("token", tokens.refresh)], as: "web").status == .ok)
      for token in [tokens.access, tokens.refresh] {
        #expect(try await self.introspect(site, token, as: "web")["active"] as? Bool == false)
      }
    }
  }

  @Test("RFC 7662 §2.1: introspection requires client authentication", arguments: ["loopback", "dynamic", "nobody"])
  func anonymousIntrospection(client: String) async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      let reply = try await site.post("/introspect", [("token", tokens.access), ("client_id", client)])
      expectTokenError(reply, "invalid_client", status: .unauthorized)
    }
  }

  @Test("RFC 7009: a service's token can be revoked only by that service")
  func revocation() async throws {
    try await withSite { site in
      try await site.add(try self.service())
      try await site.add(try self.service("other"))
      let reply = try await self.post(site, "/token", [("grant_type", "client_credentials")])
      let token = try #require(reply.json["access_token"])
      #expect(try await self.post(site, "/revoke", [("token", token)], as: "other").status == .ok)
      #expect(try await self.introspect(site, token)["active"] as? Bool == true)
      #expect(try await self.post(site, "/revoke", [("token", token)]).status == .ok)
      #expect(try await self.introspect(site, token)["active"] as? Bool == false)
    }
  }
}
