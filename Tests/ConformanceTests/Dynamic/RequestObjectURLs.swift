import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite(
  """
  oidcc-dynamic-certification-test-plan, oidcc-basic-certification-test-plan, oidcc-formpost-basic-certification-test-plan: \
  request objects by reference
  """)
struct RequestObjectURLs {
  static let url = "https://rp.example/request.jwt"

  /// Runs `body` with a client that has registered ``url`` and an RSA key.
  private func withParty(
    _ body: @Sendable (RelyingParty, TestSigningKey, FakeTransport) async throws -> Void
  ) async throws {
    let transport = FakeTransport()
    try await withSite(transport: transport) { site in
      let key = try TestSigningKey.rsa(id: "1")
      let party = try await RelyingParty.registered(
        on: site, ["request_uris": [.string(Self.url)], "token_endpoint_auth_method": "client_secret_basic"], key: key)
      try await body(party, key, transport)
    }
  }

  /// Returns a request object with the parameters of the party's authorization request.
  private func object(_ party: RelyingParty, by key: TestSigningKey) throws -> String {
    try jwt(key, party.request.list.reduce(into: party.objectClaims) { $0[$1.name] = .string($1.value) })
  }

  @Test(
    "oidcc-request-uri-signed-rs256: the signed request object at a registered URL is used, not the parameters in the query"
  )
  func signed() async throws {
    try await self.withParty { party, key, transport in
      transport.on(Self.url, respond: .text(try self.object(party, by: key) + "\n", status: .ok))
      #expect(try await party.site.metadata().flag("request_uri_parameter_supported") == true)
      #expect(try await party.site.metadata().flag("require_request_uri_registration") == true)
      let request = party.request.with("state", "outside").with("request_uri", Self.url)
      let reply = try await party.browser().complete(request)
      // The response has the state of the request object, not "outside".
      _ = try await party.receive(reply, to: party.request)
      #expect(transport.requests(to: Self.url).allSatisfy { $0.limits.maximumBodySize <= 32 << 10 })
    }
  }

  /// The conformance suite skips both modules if the server does not announce `none`.
  @Test(
    """
    oidcc-request-uri-unsigned, oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: \
    the server does not announce "none", and rejects an unsigned request object that it fetched
    """, arguments: ResponseMode.allCases)
  func unsigned(_ mode: ResponseMode) async throws {
    try await self.withParty { registered, key, transport in
      let party = try await registered.operatorRegistered().receiving(by: mode)
      let algorithms = try await party.site.metadata().strings("request_object_signing_alg_values_supported")
      #expect(!algorithms.isEmpty && !algorithms.contains("none"))
      let request = party.request.with("request_uri", Self.url)
      transport.on(Self.url, respond: .text(try self.object(party, by: .none(id: nil)), status: .ok))
      let errorResponse = try await party.browser().authorize(request)
      try party.expectError(errorResponse, "invalid_request_object", request)
      #expect(transport.requests(to: Self.url).count == 1)
      // A signed object with the same parameters is accepted. The server fetches the URL again, because the cached
      // object has expired.
      party.site.fixture.clock.advance(by: .seconds(60))
      transport.on(Self.url, respond: .text(try self.object(party, by: key), status: .ok))
      try await party.signIn(request)
    }
  }

  /// URLs that differ from the registered ``url``, and therefore are not registered.
  static let unregistered = [
    "https://rp.example/other", "https://rp.example/request.jwt#x", "https://127.0.0.1/request.jwt",
  ]

  @Test("only a registered URL is fetched", arguments: RequestObjectURLs.unregistered)
  func others(_ url: String) async throws {
    try await self.withParty { party, key, transport in
      transport.on(url, respond: .text(try self.object(party, by: key), status: .ok))
      expectErrorPage(try await party.browser().authorize(party.request.with("request_uri", url)))
      #expect(transport.requests.isEmpty)
    }
  }

  @Test("an unreachable URL and a response that is too large cause an error, and the fetches for one client are limited")
  func unreachable() async throws {
    let transport = FakeTransport()
    try await withSite(transport: transport, configure: { $0.requestsPerMinute = 4 }) { site in
      let key = TestSigningKey.es256(id: "1")
      let party = try await RelyingParty.registered(on: site, ["request_uris": [.string(Self.url)]], key: key)
        .operatorRegistered()
      let request = party.request.with("request_uri", Self.url)
      expectErrorRedirect(try await party.browser().authorize(request), "invalid_request_uri", request)
      site.fixture.clock.advance(by: .seconds(15))
      transport.on(Self.url, respond: .text(String(repeating: "x", count: 33 << 10), status: .ok))
      expectErrorRedirect(try await party.browser().authorize(request), "invalid_request_uri", request)
      #expect(transport.requests.count == 2)
      site.fixture.clock.advance(by: .seconds(15))
      transport.on(Self.url, respond: .text(try self.object(party, by: key), status: .ok))
      // Unauthenticated callers can use half of the client's four fetches per minute, so this request fetches nothing.
      expectErrorRedirect(try await party.browser().authorize(request), "invalid_request_uri", request)
      #expect(transport.requests.count == 2)
      site.fixture.clock.advance(by: .seconds(61))
      try await party.signIn(request)
      // A request must not have both request_uri and request.
      let both = request.with("request", try self.object(party, by: key))
      expectErrorRedirect(try await party.browser().authorize(both), "invalid_request", both)
    }
  }

  @Test(
    "OpenID Connect Core §6.2: a fetched object is reused for 30 seconds, and a request with an invalid redirect_uri fetches nothing"
  )
  func reused() async throws {
    let transport = FakeTransport()
    try await withSite(transport: transport, configure: { $0.requestsPerMinute = 4 }) { site in
      let key = TestSigningKey.es256(id: "1")
      let party = try await RelyingParty.registered(on: site, ["request_uris": [.string(Self.url)]], key: key)
        .operatorRegistered()
      transport.on(Self.url, respond: .text(try self.object(party, by: key), status: .ok))
      let request = party.request.with("request_uri", Self.url)
      expectErrorPage(try await party.browser().authorize(request.with("redirect_uri", "https://evil.example/cb")))
      #expect(transport.requests.isEmpty)
      for _ in 0..<5 { #expect(try await party.browser().authorize(request).isSignInPage) }
      #expect(transport.requests.count == 1)
      site.fixture.clock.advance(by: .seconds(31))
      #expect(try await party.browser().authorize(request).isSignInPage)
      #expect(transport.requests.count == 2)
    }
  }

  @Test("an unreachable URL is fetched at most once in 15 seconds, so that requests with this URL do not use up the quota")
  func unreachableURL() async throws {
    let (transport, other) = (FakeTransport(), "https://rp.example/other.jwt")
    try await withSite(transport: transport, configure: { $0.requestsPerMinute = 6 }) { site in
      let key = TestSigningKey.es256(id: "1")
      let members: [String: JSONValue] = ["request_uris": [.string(Self.url), .string(other)]]
      let party = try await RelyingParty.registered(on: site, members, key: key).operatorRegistered()
      transport.on(other, respond: .text(try self.object(party, by: key), status: .ok))
      let request = party.request.with("request_uri", Self.url)
      for _ in 0..<9 { expectErrorRedirect(try await party.browser().authorize(request), "invalid_request_uri", request) }
      #expect(transport.requests.count == 1)
      try await party.signIn(party.request.with("request_uri", other))
      // When the URL is reachable again, the server fetches it after at most 15 seconds.
      transport.on(Self.url, respond: .text(try self.object(party, by: key), status: .ok))
      site.fixture.clock.advance(by: .seconds(15))
      try await party.signIn(request)
    }
  }

  /// - Parameter hang: True if the hosts respond only after the test opens a gate; false if each request to them fails
  ///   at once.
  @Test(
    "S-42: a self-registered client with many unreachable hosts does not block the fetches of other clients",
    arguments: [false, true])
  func unreachableHosts(hang: Bool) async throws {
    let (transport, hanging) = (FakeTransport(), Gate())
    try await withSite(transport: transport, configure: { $0.registration.perMinute = 40 }) { site in
      let key = TestSigningKey.es256(id: "1")
      let unreachable = (1...16).map { "https://unreachable-\($0).example/x" }
      for url in unreachable {
        transport.on(url) { _ in
          if hang { await hanging.wait() }
          return .failure(.timedOut)
        }
      }
      let party = try await RelyingParty.registered(on: site, ["request_uris": .array(unreachable.map { .string($0) })], key: key)
      let otherClient = try await RelyingParty.registered(on: site, ["request_uris": [.string(Self.url)]], key: key)
      transport.on(Self.url, respond: .text(try self.object(otherClient, by: key), status: .ok))
      if hang {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for url in unreachable {
            group.addTask { expectErrorPage(try await party.browser().authorize(party.request.with("request_uri", url))) }
          }
          // Only four fetches for one client run at once; the other 12 requests are rejected immediately.
          for _ in 0..<12 { try await group.next() }
          #expect(transport.requests.count == 4)
          try await otherClient.signIn(otherClient.request.with("request_uri", Self.url))
          hanging.open()
          try await group.waitForAll()
        }
      } else {
        // These requests are sent one at a time, because only four fetches for one client may run at once.
        for url in unreachable { expectErrorPage(try await party.browser().authorize(party.request.with("request_uri", url))) }
        // A client without a grant can use a quarter of the 40 fetches per minute, so 10 of the 16 requests fetch.
        #expect(transport.requests.count == 10)
        try await otherClient.signIn(otherClient.request.with("request_uri", Self.url))
      }
    }
  }

  @Test("all self-registered clients without a grant share half of the fetches per minute")
  func budget() async throws {
    let transport = FakeTransport()
    try await withSite(transport: transport, configure: { $0.registration.perMinute = 8 }) { site in
      let key = TestSigningKey.es256(id: "1")
      for number in 1...3 {
        let urls = ["a", "b"].map { "https://victim.example/\(number)/\($0)" }
        let party = try await RelyingParty.registered(on: site, ["request_uris": .array(urls.map { .string($0) })], key: key)
        for url in urls { expectErrorPage(try await party.browser().authorize(party.request.with("request_uri", url))) }
      }
      // Each of the three clients needs two fetches, which is the limit for one client, but they share four per minute.
      #expect(transport.requests.count == 4)
    }
  }
}
