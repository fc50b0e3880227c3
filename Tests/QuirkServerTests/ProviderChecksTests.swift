import QuirkServer
import SallyportProtocol
import Testing

/// Checks that the simulated providers reject incorrect requests. In the other tests, a successful sign-in at a
/// simulated provider therefore shows that the client's requests are correct.
@Suite("The fixtures of the providers")
struct ProviderChecksTests {
  @Test("a correct client gets tokens, and its code works once", arguments: QuirkyProvider.all)
  func correctClient(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    let code = try await client.code()
    let tokens = try await client.token(client.tokenRequest(code: code))
    #expect(tokens.status == 200)
    #expect(tokens.members["error"] == nil)
    // Slack returns the user's token in the member `authed_user`.
    #expect(tokens.members["access_token"] != nil || tokens.members["authed_user"]?["access_token"] != nil)
    #expect(try await client.token(client.tokenRequest(code: code)).members["error"] != nil)
  }

  @Test("a request with an unregistered redirect URI gets an error page", arguments: QuirkyProvider.all)
  func wrongRedirect(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    let registeredURI = provider.client.redirectURIs[0]
    var others = ["https://evil.example/", "http://127.0.0.1.evil.example:49152/"]
    if provider.client.redirectMatching != .anyLoopbackURI {
      others += [registeredURI + "/", registeredURI.replacing("127.0.0.1", with: "localhost")]
    }
    for wrong in others where wrong != registeredURI {
      var request = client.authorizationRequest
      request["redirect_uri"] = wrong
      #expect(try await client.authorize(request) == nil, "\(wrong)")
    }
  }

  @Test("only some providers ignore the port of a loopback redirect", arguments: QuirkyProvider.all)
  func port(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    guard provider.client.redirectURIs[0].contains(":49152") else { return }
    var request = client.authorizationRequest
    request["redirect_uri"] = provider.client.redirectURIs[0].replacing("49152", with: "50000")
    let providersThatIgnorePorts = [
      "Google", "Microsoft, one tenant", "Microsoft, common", "Microsoft, organizations", "Azure AD B2C", "GitHub", "Keycloak",
    ]
    #expect(try await (client.authorize(request) != nil) == providersThatIgnorePorts.contains(provider.name))
  }

  @Test("an authorization request without a required parameter is rejected", arguments: QuirkyProvider.all)
  func missingParameters(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    var names = ["response_type", "state"] + provider.requiredParameters.keys
    if provider.pkce == .required { names.append("code_challenge") }
    for name in names {
      var request = client.authorizationRequest
      request[name] = nil
      #expect(try await client.authorize(request)?["error"] != nil, "without \(name)")
    }
  }

  @Test("a scope that the provider rejects causes invalid_scope", arguments: QuirkyProvider.all)
  func unknownScope(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    for scope in provider.rejectedScopes {
      var request = client.authorizationRequest
      request["scope"] = scope
      #expect(try await client.authorize(request)?["error"] == "invalid_scope")
    }
  }

  @Test("a token request with a wrong verifier, redirect URI, client identifier, or secret fails", arguments: QuirkyProvider.all)
  func wrongTokenRequest(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    for name in ["code_verifier", "redirect_uri", "client_id", "client_secret"] {
      var request = client.tokenRequest(code: try await client.code())
      request[name] = "wrong"
      let response = try await client.token(request)
      #expect(response.members["error"] != nil, "\(name)")
      #expect(response.members["access_token"] == nil)
    }
  }

  @Test(
    "a refresh token works once if the provider rotates refresh tokens, and otherwise repeatedly",
    arguments: QuirkyProvider.all)
  func refresh(_ provider: QuirkyProvider) async throws {
    let client = try RawClient(provider)
    var request = client.authorizationRequest
    request["scope"] = provider.rejectedScopes.contains("offline_access") ? nil : "offline_access"
    // Google and Dropbox have parameters of their own that request a refresh token.
    request["access_type"] = "offline"
    request["token_access_type"] = "offline"
    let code = try await client.authorize(request)?["code"] ?? ""
    let tokens = try await client.token(client.tokenRequest(code: code)).members
    guard case .string(let token)? = tokens["refresh_token"] ?? tokens["authed_user"]?["refresh_token"] else {
      Issue.record("no refresh token")
      return
    }
    let refresh = client.addingCredentials(to: ["grant_type": "refresh_token", "refresh_token": token])
    #expect(try await client.token(refresh).members["error"] == nil)
    #expect(try await (client.token(refresh).members["error"] != nil) == (provider.refresh == .rotates))
  }
}
