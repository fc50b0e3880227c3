import Sallyport
import SallyportProtocol
import SallyportTesting
import TestSupport
import Testing

@Suite("Separate redirect URIs for each issuer", .timeLimit(.minutes(1)))
struct RedirectReservationsTests {
  /// Signs in at this issuer with this redirect URI.
  private func signIn(
    _ issuer: String, _ redirectURI: String, store: some TokenStore, clientID: String = "notes", clock: TestClock = TestClock()
  ) async throws -> OAuthSession {
    let server = try TestIssuer(issuer)
    let transport = FakeTransport()
    server.publish(on: transport)
    transport.on("\(issuer)/token") { _ in .success(SignInFixture.tokens("access-\(issuer)", refresh: "refresh-\(issuer)")) }
    let browser = try FakeBrowser(redirectURI) { request in
      let query = FormParameters.encode([
        (name: "code", value: "code-1"), (name: "state", value: request["state"] ?? ""), (name: "iss", value: issuer),
      ])
      return ["\(redirectURI)?\(query)"]
    }
    let client = OAuthClient(
      issuer: server.issuer, clientID: clientID, store: store, transport: transport, now: clock.dates)
    return try await client.signIn(scopes: ["notes"], via: browser, receiver: browser)
  }

  @Test(
    "C-17: a redirect URI of one issuer is rejected for another issuer, with any port and any loopback host",
    arguments: [
      ("http://127.0.0.1:49152/cb", "http://127.0.0.1:49152/cb"), ("http://127.0.0.1:49152/cb", "http://127.0.0.1:50000/cb"),
      ("http://127.0.0.1:49152/cb", "http://[::1]:49152/cb"), ("http://127.0.0.1:49152/cb", "http://localhost:49152/cb"),
      ("com.example.app:/cb", "com.example.app:/cb"),
    ])
  func shared(first: String, second: String) async throws {
    let store = MemoryTokenStore()
    _ = try await self.signIn("https://a.example", first, store: store)
    await #expect(throws: SignInError.redirectURIBelongsTo(issuer: "https://a.example")) {
      try await self.signIn("https://b.example", second, store: store)
    }
  }

  @Test("a reservation that cannot be read, or whose only session cannot be read, counts as missing")
  func damaged() async throws {
    let base = MemoryTokenStore()
    _ = try await self.signIn("https://a.example", "http://127.0.0.1:49152/cb", store: base)
    let keys = base.keys.filter { $0.kind == "grant" || $0.kind.hasPrefix("redirect ") }
    #expect(keys.count == 2)
    for key in keys {
      let store = PartlyDamagedStore(base: base.copy(), damaged: key)
      _ = try await self.signIn("https://b.example", "http://127.0.0.1:50000/cb", store: store)
    }
    let reservation = try #require(keys.first { $0.kind != "grant" })
    try await base.save(Secret([1, 2, 3]), for: reservation)
    _ = try await self.signIn("https://b.example", "http://127.0.0.1:50000/cb", store: base)
  }

  @Test("issuers with separate redirect URIs do not conflict, and several sign-ins at one issuer can use the same URI")
  func separate() async throws {
    let store = MemoryTokenStore()
    _ = try await self.signIn("https://a.example", "http://127.0.0.1:49152/oauth2redirect/a.example", store: store)
    _ = try await self.signIn("https://b.example", "http://127.0.0.1:49152/oauth2redirect/b.example", store: store)
    _ = try await self.signIn("https://a.example", "http://127.0.0.1:50000/oauth2redirect/a.example", store: store)
    _ = try await self.signIn("https://a.example", "http://127.0.0.1:50000/oauth2redirect/a.example", store: store, clientID: "b")
  }

  @Test("C-17: after the last session with a redirect URI is signed out, another issuer can use that URI")
  func released() async throws {
    let store = MemoryTokenStore()
    let first = try await self.signIn("https://a.example", "http://127.0.0.1:49152/cb", store: store)
    let second = try await self.signIn("https://a.example", "http://127.0.0.1:49152/cb", store: store, clientID: "other")
    try await first.signOut()
    await #expect(throws: SignInError.redirectURIBelongsTo(issuer: "https://a.example")) {
      try await self.signIn("https://b.example", "http://127.0.0.1:49152/cb", store: store)
    }
    try await second.signOut()
    _ = try await self.signIn("https://b.example", "http://127.0.0.1:49152/cb", store: store)
  }

  @Test(
    "C-17: a pending sign-in reserves the redirect URI until the sign-in is canceled or, after a crash, the reservation expires")
  func pending() async throws {
    let store = MemoryTokenStore()
    let clock = TestClock()
    let first = try FakeBrowser("http://127.0.0.1:49152/cb") { _ in [] }
    let client = try Self.client("https://a.example", store, clock)
    let waiting = Task {
      try await client.signIn(SignInOptions(scopes: ["notes"], timeout: .seconds(600)), via: first, receiver: first)
    }
    await first.opening.wait()
    // What the store would contain if the process crashed here.
    let abandoned = store.copy()

    let second = try FakeBrowser("http://127.0.0.1:50000/cb", openError: .noBrowser(tried: [])) { _ in [] }
    let reserved = SignInError.redirectURIBelongsTo(issuer: "https://a.example")
    // If the redirect URI is not reserved, the sign-in fails only later, because it finds no browser.
    let free = SignInError.userAgent(.noBrowser(tried: []))
    await #expect(throws: reserved) {
      try await Self.client("https://b.example", store, clock).signIn(scopes: ["notes"], via: second, receiver: second)
    }
    waiting.cancel()
    _ = await waiting.result
    await #expect(throws: free) {
      try await Self.client("https://b.example", store, clock).signIn(scopes: ["notes"], via: second, receiver: second)
    }

    await #expect(throws: reserved) {
      try await Self.client("https://b.example", abandoned, clock).signIn(scopes: ["notes"], via: second, receiver: second)
    }
    // The reservation expires two minutes after the sign-in's timeout of ten minutes.
    clock.advance(by: .seconds(721))
    await #expect(throws: free) {
      try await Self.client("https://b.example", abandoned, clock).signIn(scopes: ["notes"], via: second, receiver: second)
    }
  }

  private static func client(_ issuer: String, _ store: MemoryTokenStore, _ clock: TestClock) throws -> OAuthClient {
    let server = try TestIssuer(issuer)
    let transport = FakeTransport()
    server.publish(on: transport)
    return OAuthClient(
      issuer: server.issuer, clientID: "notes", store: store, transport: transport, now: clock.dates)
  }

  @Test("C-17: a redirect URI that belongs to another issuer is rejected before the browser opens")
  func beforeTheBrowser() async throws {
    let store = MemoryTokenStore()
    _ = try await self.signIn("https://a.example", "http://127.0.0.1:49152/cb", store: store)
    let fixture = try SignInFixture()
    let browser = try FakeBrowser("http://127.0.0.1:49152/cb") { _ in [] }
    let client = OAuthClient(
      issuer: fixture.server.issuer, clientID: "notes", store: store, transport: fixture.transport, now: fixture.clock.dates)
    await #expect(throws: SignInError.redirectURIBelongsTo(issuer: "https://a.example")) {
      try await client.signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    #expect(browser.opened.isEmpty)
  }
}
