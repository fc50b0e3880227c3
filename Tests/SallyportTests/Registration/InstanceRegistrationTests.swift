#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Dynamic registration of an app's instance", .timeLimit(.minutes(1)))
struct InstanceRegistrationTests {
  @Test(
    "C-21, C-17: an instance registers once, with the issuer's default loopback redirect URIs without a port, and finds its registration again"
  )
  func registersOnce() async throws {
    let server = try FakeRegistrar()
    let first = try await server.instance().client()
    let second = try await server.instance().client()
    #expect(first.clientID == "client-1" && second.clientID == "client-1")
    #expect(server.registrations.count == 1)
    let sentMetadata = try server.sentMetadata()
    #expect(
      sentMetadata.redirectURIs == ["http://127.0.0.1/oauth2redirect/id.example", "http://[::1]/oauth2redirect/id.example"])
    #expect(sentMetadata.applicationType == "native")
    #expect(sentMetadata.clientName == "Notes")
    #expect(server.registrations[0].head.headerFields[.authorization] == nil)
  }

  @Test(
    "C-21: the registered grant types are stored if the response contains them, and can be read later without network access",
    arguments: [["authorization_code", "refresh_token"], nil])
  func registeredGrantTypes(registered: [String]?) async throws {
    let server = try FakeRegistrar { $0["grant_types"] = registered.map { .array($0.map { .string($0) }) } }
    var metadata = ClientMetadata(native: "Notes")
    metadata.grantTypes?.append("urn:ietf:params:oauth:grant-type:device_code")
    let instance = server.instance(metadata)
    #expect(try await instance.registeredGrantTypes() == nil)
    _ = try await instance.client()
    let before = server.fixture.transport.requests.count
    #expect(try await server.instance(metadata).registeredGrantTypes() == registered)
    #expect(server.fixture.transport.requests.count == before)
  }

  @Test("C-21: an instance whose registration cannot be read from the store registers again")
  func damaged() async throws {
    let server = try FakeRegistrar()
    _ = try await server.instance().client()
    server.fixture.store.loadError = .damaged(reason: "the key file is missing")
    #expect(try await server.instance().client().clientID == "client-2")
    server.fixture.store.loadError = nil
    #expect(try await server.instance().client().clientID == "client-2")
  }

  @Test("C-21: the client of a registered instance is created without network access")
  func offline() async throws {
    let server = try FakeRegistrar()
    _ = try await server.instance().client()
    let before = server.fixture.transport.requests.count
    #expect(try await server.instance().client().restoreSession() == nil)
    #expect(server.fixture.transport.requests.count == before)
  }

  @Test("C-21: twenty instances with one store that start at the same time register once")
  func together() async throws {
    let server = try FakeRegistrar()
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await server.instance().client().clientID } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ids == ["client-1"])
    #expect(server.registrations.count == 1)
    // No instance changed the registration afterward.
    #expect(server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1").isEmpty)
  }

  @Test(
    "C-21: the first method of private_key_jwt, client_secret_basic, and client_secret_post that the server supports is registered, and otherwise none",
    arguments: [
      (["none", "client_secret_basic", "private_key_jwt"], "private_key_jwt"),
      (["client_secret_post", "client_secret_basic"], "client_secret_basic"),
      (["client_secret_post", "none"], "client_secret_post"),
      (["none"], "none"), (["tls_client_auth"], "none"), (nil, "client_secret_basic"),
    ])
  func method(offered: [String]?, method: String) async throws {
    let server = try FakeRegistrar(methods: offered)
    _ = try await server.instance().client()
    #expect(try server.sentMetadata().tokenEndpointAuthMethod == method)
    #expect(try (server.sentMetadata().jwks != nil) == (method == "private_key_jwt"))
  }

  @Test("C-21: if the server rejects a key, a secret is registered")
  func fallsBack() async throws {
    let server = try FakeRegistrar()
    server.fixture.transport.on(FakeRegistrar.url) { request in
      if request.index == 0 { return .success(SignInFixture.error("invalid_client_metadata")) }
      return .success(.json(#"{"client_id":"c","client_secret":"s","client_secret_expires_at":0}"#, status: .created))
    }
    #expect(try await server.instance().client().clientID == "c")
    #expect(try server.sentMetadata(1).tokenEndpointAuthMethod == "client_secret_basic")
  }

  @Test(
    "C-21: if the server rejects http://[::1], only http://127.0.0.1 is registered, and changed metadata does not cause a new registration",
    arguments: ["invalid_redirect_uri", "invalid_client_metadata"])
  func withoutIPv6(code: String) async throws {
    let server = try FakeRegistrar(methods: ["none"])
    server.rejectedRedirectURI = (prefix: "http://[::1]", code: code)
    #expect(try await server.instance().client().clientID == "client-1")
    #expect(try server.sentMetadata(1).redirectURIs == ["http://127.0.0.1/oauth2redirect/id.example"])
    #expect(server.registrations.count == 2)
    var changed = ClientMetadata(native: "Notes")
    changed.clientURI = "https://notes.example"
    #expect(try await server.instance(changed).client().clientID == "client-1")
  }

  @Test("if the server rejects the app's own redirect URI, the registration fails after one request")
  func ownRedirectRejected() async throws {
    let server = try FakeRegistrar(methods: ["none"])
    server.rejectedRedirectURI = (prefix: "http://[::1]", code: "invalid_redirect_uri")
    let metadata = ClientMetadata(native: "Notes", redirectURIs: [try RedirectURI("http://[::1]/callback")])
    let error = await #expect(throws: RegistrationError.self) { try await server.instance(metadata).client() }
    guard case .refused(let errorResponse) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(errorResponse.code == .invalidRedirectURI && server.registrations.count == 1)
  }

  @Test("C-21: the registration and the client use the app's configuration of the server")
  func configuration() async throws {
    let server = try FakeRegistrar(methods: ["none"])
    var configuration = ServerConfiguration(
      issuer: server.fixture.server.issuer, authorizationEndpoint: try EndpointURL("https://login.example/authorize"),
      tokenEndpoint: try EndpointURL(SignInFixture.tokenURL))
    await #expect(throws: RegistrationError.notOffered) { try await server.instance(at: configuration).client() }
    configuration.registrationEndpoint = try EndpointURL(FakeRegistrar.url)
    configuration.metadata["token_endpoint_auth_methods_supported"] = ["none"]
    configuration.headers[.userAgent] = "Notes/1"
    let client = try await server.instance(at: configuration).client()
    #expect(client.clientID == "client-1" && client.server == configuration)
    #expect(server.fixture.transport.requests.map(\.url) == [FakeRegistrar.url])
    #expect(server.registrations[0].head.headerFields[.userAgent] == "Notes/1")
  }

  @Test(
    "C-13: `localhost` is registered only if the server's configuration says so, and a change to the configuration updates the registration"
  )
  func loopbackHost() async throws {
    let server = try FakeRegistrar(methods: ["none"])
    _ = try await server.instance().client()
    var configuration = ServerConfiguration(issuer: server.fixture.server.issuer)
    configuration.loopbackHost = .localhost
    #expect(try await server.instance(at: configuration).client().clientID == "client-1")
    let updates = server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1")
    #expect(updates.count == 1)
    let updated = try JSONDecoder().decode(ClientMetadata.self, from: Data(#require(updates.first).body))
    #expect(updated.redirectURIs == ["http://localhost/oauth2redirect/id.example"])
    _ = try await server.instance(at: configuration).client()
    #expect(server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1").count == 1)
  }

  @Test("C-21: an initial access token is sent only to the registration endpoint")
  func initialAccessToken() async throws {
    let server = try FakeRegistrar()
    _ = try await server.instance(token: "first-token").client()
    #expect(server.registrations[0].head.headerFields[.authorization] == "Bearer first-token")
    let otherRequests = server.fixture.transport.requests.filter { $0.url != FakeRegistrar.url }
    #expect(otherRequests.allSatisfy { $0.head.headerFields[.authorization] == nil })
    #expect(!server.fixture.store.texts.contains { $0.contains("first-token") })
  }

  @Test("C-21: an expired secret is replaced by a new registration")
  func expired() async throws {
    let clock = TestClock()
    let end = clock.now.seconds + 3600
    let server = try FakeRegistrar(methods: ["client_secret_basic"]) { $0["client_secret_expires_at"] = .integer(end) }
    #expect(try await server.instance().client().clientID == "client-1")
    server.fixture.clock.advance(by: .seconds(3500))
    #expect(try await server.instance().client().clientID == "client-1")
    server.fixture.clock.advance(by: .seconds(100))
    #expect(try await server.instance().client().clientID == "client-2")
  }

  @Test("C-21: an extreme expiration time of the secret does not crash the app", arguments: [Int64.min, -1, .max])
  func extremeExpiration(end: Int64) async throws {
    let server = try FakeRegistrar(methods: ["client_secret_basic"]) { $0["client_secret_expires_at"] = .integer(end) }
    #expect(try await server.instance().client().clientID == "client-1")
    #expect(try await server.instance().client().clientID == (end == .max ? "client-1" : "client-2"))
  }

  @Test("C-21: changed metadata updates the registration if the server allows it, and otherwise creates a new one")
  func changed() async throws {
    for manages in [true, false] {
      let server = try FakeRegistrar(manages: manages)
      _ = try await server.instance().client()
      var metadata = ClientMetadata(native: "Notes")
      metadata.contacts = ["dev@notes.example"]
      #expect(try await server.instance(metadata).client().clientID == (manages ? "client-1" : "client-2"))
      #expect(server.registrations.count == (manages ? 1 : 2))
      let changes = server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1")
      #expect(changes.map(\.head.method) == (manages ? [.put] : []))
      let before = server.fixture.transport.requests.count
      _ = try await server.instance(metadata).client()
      #expect(server.fixture.transport.requests.count == before)
    }
  }

  @Test("C-21: a registration is read and deleted with its registration access token, and deleting it removes the stored values")
  func management() async throws {
    let server = try FakeRegistrar()
    let instance = server.instance()
    await #expect(throws: RegistrationError.notRegistered) { try await instance.read() }
    _ = try await instance.client()
    _ = try await instance.read()
    try await instance.delete()
    let requests = server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1")
    #expect(requests.map(\.head.method) == [.get, .delete])
    #expect(
      requests.allSatisfy { $0.head.headerFields[.authorization] == "Bearer manage-client-1" && !$0.url.contains("manage-") })
    #expect(server.fixture.store.keys.allSatisfy { $0.kind == "sessions" }, "only the list of sessions is left")
    #expect(try await instance.client().clientID == "client-2")
  }

  @Test("if the server no longer has the client, reading the registration fails, and the next call of client() registers again")
  func readForgotten() async throws {
    let server = try FakeRegistrar()
    let instance = server.instance()
    _ = try await instance.client()
    server.forget("client-1")
    await #expect(throws: RegistrationError.forgotten) { try await instance.read() }
    #expect(try await instance.client().clientID == "client-2")
  }

  @Test("status 403 means that the server no longer has the client if the body is an OAuth error, but not if it is HTML")
  func forbidden() async throws {
    let server = try FakeRegistrar()
    let instance = server.instance()
    _ = try await instance.client()
    let url = "\(FakeRegistrar.url)/client-1"
    server.fixture.transport.on(url, respond: .text("<h1>Blocked</h1>", status: .forbidden))
    await #expect(throws: RegistrationError.response(.unexpectedStatus(403))) { try await instance.read() }
    #expect(try await instance.client().clientID == "client-1")
    server.fixture.transport.on(url, respond: SignInFixture.error("invalid_token", status: .forbidden))
    await #expect(throws: RegistrationError.forgotten) { try await instance.read() }
    #expect(try await instance.client().clientID == "client-2")
  }

  @Test("deleting a registration waits for a refresh in progress, so that no session remains")
  func deletionDuringRefresh() async throws {
    let server = try FakeRegistrar()
    let (fixture, instance) = (server.fixture, server.instance())
    let user = try fixture.browser()
    fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1"))
    let session = try await instance.client().signIn(scopes: [.profile], via: user, receiver: user)
    let gate = Gate()
    fixture.transport.on(SignInFixture.tokenURL) { _ in
      await gate.wait()
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2"))
    }
    let refresh = Task { try await session.refresh() }
    await fixture.transport.waitForRequests(2, to: SignInFixture.tokenURL)
    let deletion = Task { try await instance.delete() }
    await fixture.transport.waitForRequests(1, to: "\(FakeRegistrar.url)/client-1")
    // If the deletion did not wait for the lease that the refresh holds, it would most likely end now, before the
    // refresh stores its tokens.
    for _ in 0..<1000 { await Task.yield() }
    gate.open()
    _ = await refresh.result
    try await deletion.value
    #expect(fixture.store.keys.allSatisfy { !["registration", "grant"].contains($0.kind) })
  }

  @Test(
    "C-21: deleting a registration fails if the server has no client management, and a failed deletion keeps the stored registration"
  )
  func unmanageable() async throws {
    let server = try FakeRegistrar(manages: false)
    _ = try await server.instance().client()
    await #expect(throws: RegistrationError.notManageable) { try await server.instance().delete() }
    let other = try FakeRegistrar()
    _ = try await other.instance().client()
    other.fixture.transport.on("\(FakeRegistrar.url)/client-1", fail: .timedOut)
    await #expect(throws: RegistrationError.network(.timedOut)) { try await other.instance().delete() }
    #expect(try await other.instance().client().clientID == "client-1")
    #expect(other.registrations.count == 1)
  }

  @Test("C-21: before a sign-in, the server is asked at most once an hour whether it still has the client")
  func confirm() async throws {
    let server = try FakeRegistrar()
    _ = try await server.instance().client()
    // `confirm` returns whether a new registration replaced the old one.
    #expect(try await !server.instance().confirm())
    server.fixture.clock.advance(by: .seconds(3601))
    #expect(try await !server.instance().confirm())
    #expect(server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1").count == 1)
    server.fixture.clock.advance(by: .seconds(3601))
    server.forget("client-1")
    #expect(try await server.instance().confirm())
    #expect(try await server.instance().client().clientID == "client-2")
  }

  @Test("if the server's error description contains the initial access token, the SDK's error does not contain it")
  func secrecy() async throws {
    let server = try FakeRegistrar(methods: ["client_secret_basic"])
    server.fixture.transport.on(FakeRegistrar.url) { _ in
      .success(SignInFixture.error("invalid_token", description: "no first-token here", status: .unauthorized))
    }
    let error = await #expect(throws: RegistrationError.self) { try await server.instance(token: "first-token").client() }
    #expect(error == .refused(OAuthErrorResponse(error: "invalid_token", description: "no <redacted> here")))
  }
}
