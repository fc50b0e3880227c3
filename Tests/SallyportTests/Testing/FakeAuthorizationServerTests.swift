import Foundation
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// Tests `FakeAuthorizationServer`, which apps use in their own tests.
@Suite("A fake authorization server", .timeLimit(.minutes(1)))
struct FakeAuthorizationServerTests {
  private let server = FakeAuthorizationServer(claims: ["sub": "ada", "name": "Ada Lovelace", "team": "engines"])
  private let scope: Scope = [.openID, .offlineAccess]

  private func signIn(_ client: OAuthClient) async throws -> OAuthSession {
    let user = ScriptedUserAgent(self.server)
    return try await client.signIn(scopes: self.scope, via: user, receiver: user)
  }

  @Test("a sign-in returns the claims of a verified ID token")
  func claims() async throws {
    let session = try await self.signIn(self.server.client())
    #expect(await session.claims?.name == "Ada Lovelace")
    #expect(await session.allClaims["team"] == "engines")
    #expect(await session.expiration == self.server.now.addingTimeInterval(600))
    #expect(try await session.userInfo().name == "Ada Lovelace")
  }

  @Test("the SDK verifies the ID token, and rejects it if the published keys belong to another server")
  func signature() async throws {
    let transport = FakeTransport()
    let (server, other) = (self.server, FakeAuthorizationServer())
    for path in ["/.well-known/openid-configuration", "/authorize", "/token"] {
      transport.on("https://id.example\(path)") { await Self.forward($0, to: server) }
    }
    transport.on("https://id.example/jwks") { await Self.forward($0, to: other) }
    let client = OAuthClient(
      issuer: server.issuer, clientID: "app", store: MemoryTokenStore(), transport: transport, now: { server.now })
    let user = ScriptedUserAgent(transport)
    await #expect {
      _ = try await client.signIn(scopes: .openID, via: user, receiver: user)
    } throws: {
      if case SignInError.idToken = $0 { true } else { false }
    }
  }

  private static func forward(
    _ request: FakeTransport.RecordedRequest, to server: FakeAuthorizationServer
  ) async -> FakeTransport.Outcome {
    do throws(TransportError) {
      return .success(try await server.send(request.head, body: request.body, limits: request.limits))
    } catch {
      return .failure(error)
    }
  }

  @Test("a session that session(store:) has stored is restored and listed")
  func restored() async throws {
    let store = MemoryTokenStore()
    let session = self.server.session(store: store)
    let restored = try #require(try await self.server.client(store: store).restoreSession())
    #expect(try await restored.accessToken() == session.accessToken())
    #expect(await restored.claims == session.claims)
    #expect(try await store.storedSessions().map(\.clientID) == ["app"])
    _ = self.server.session(clientID: "other", store: store)
    #expect(try await store.storedSessions().map(\.clientID) == ["app", "other"])
  }

  @Test("after the access token has expired, it is refreshed, and the claims come from a new ID token")
  func refreshed() async throws {
    let session = self.server.session()
    let first = try await session.accessToken()
    #expect(try await session.accessToken() == first)
    self.server.claims["name"] = "Augusta Ada King"
    self.server.advance(by: .seconds(600))
    #expect(try await session.accessToken() != first)
    #expect(await session.claims?.name == "Augusta Ada King")
  }

  @Test(
    "a refresh fails in the way that the test has configured",
    arguments: [
      (FakeAuthorizationServer.RefreshBehavior.offline, SessionError.network(.unreachable(reason: "The device is offline."))),
      (.unavailable, .unavailable(status: 503)),
      (.fail(.invalidGrant), .signInRequired(.refused(OAuthErrorResponse(error: "invalid_grant", description: nil)))),
      (
        .fail(.interactionRequired),
        .signInRequired(.interactionRequired(OAuthErrorResponse(error: "interaction_required", description: nil)))
      ),
    ])
  func failures(_ behavior: FakeAuthorizationServer.RefreshBehavior, _ expected: SessionError) async throws {
    let session = self.server.session()
    self.server.advance(by: .seconds(600))
    self.server.refreshes = behavior
    await #expect(throws: expected) { try await session.accessToken() }
  }

  @Test("a session without offline_access ends when its token expires")
  func notRenewable() async throws {
    let session = self.server.session(scope: .openID)
    self.server.advance(by: .seconds(600))
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await session.accessToken() }
  }

  @Test("the API receives only requests with a valid token")
  func api() async throws {
    let server = FakeAuthorizationServer { request, _ in
      TransportResponse(head: HTTPResponse(status: .ok), body: Array((request.path ?? "").utf8))
    }
    let session = server.session(tokenOrigins: [try EndpointURL("https://api.example")])
    let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")
    #expect(try await session.send(request).body == Array("/notes".utf8))

    var requestWithToken = request
    requestWithToken.headerFields[.authorization] = "Bearer \(try await session.accessToken().reveal())"
    server.advance(by: .seconds(600))
    // The token in this request has expired.
    #expect(try await server.send(requestWithToken, body: [], limits: TransferLimits()).head.status == .unauthorized)
    #expect(try await server.send(request, body: [], limits: TransferLimits()).head.status == .unauthorized)
    #expect(try await session.send(request).head.status == .ok)
  }

  @Test("a code is accepted only once, and only with its verifier and redirect URI")
  func codes() async throws {
    let session = try await self.signIn(self.server.client())
    try await session.signOut()
    let client = RawRequests(server: self.server)
    #expect(try await client.exchange(client.code(), verifier: String(repeating: "b", count: 43)) == 400)
    #expect(try await client.exchange(client.code(), redirectURI: "com.example.other:/") == 400)
    let code = try await client.code()
    #expect(try await client.exchange(code) == 200)
    #expect(try await client.exchange(code) == 400)
  }

  @Test("a sign-out revokes the tokens")
  func signOut() async throws {
    let store = MemoryTokenStore()
    let session = self.server.session(store: store)
    // The sign-out removes the tokens from `store`. This session still has them, in a store of its own.
    let copy = try #require(try await self.server.client(store: store.copy()).restoreSession())
    #expect(try await session.signOut() == .revoked)
    await #expect {
      try await copy.refresh()
    } throws: {
      if case SessionError.signInRequired = $0 { true } else { false }
    }
  }
}

/// Sends requests without the SDK's client, so that a test can send wrong values and a used code.
private struct RawRequests {
  let server: FakeAuthorizationServer
  private let verifier = String(repeating: "a", count: 43)

  /// Sends an authorization request, and returns the code of the response.
  func code() async throws -> String {
    let challenge = try CodeVerifier(self.verifier).challenge.value
    let query = FormParameters.encode([
      ("response_type", "code"), ("client_id", "app"), ("redirect_uri", "com.example.app:/"), ("state", "1"),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ])
    let request = HTTPRequest.get(try EndpointURL("https://id.example/authorize?\(query)"))
    let response = try await self.server.send(request, body: [], limits: TransferLimits())
    let location = try #require(response.head.headerFields[.location])
    return try #require(try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])["code"])
  }

  /// Redeems a code, and returns the status of the response.
  func exchange(_ code: String, verifier: String? = nil, redirectURI: String = "com.example.app:/") async throws -> Int {
    let form = FormParameters.encode([
      ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code), ("redirect_uri", redirectURI),
      ("code_verifier", verifier ?? self.verifier),
    ])
    let request = HTTPRequest.post(form: try EndpointURL("https://id.example/token"))
    return try await self.server.send(request, body: Array(form.utf8), limits: TransferLimits()).head.status.code
  }
}
