import HTTPTypes
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

struct JWKSCacheTests {
  private let transport = FakeTransport()
  private let clock = TestClock()
  private let url = "https://id.example/jwks"
  private let first = TestSigningKey.es256(id: "a")
  private let second = TestSigningKey.es256(id: "b")

  private func cache() throws -> JWKSCache {
    JWKSCache(url: try EndpointURL(self.url), transport: self.transport, now: self.clock.source)
  }

  private func publish(_ keys: TestSigningKey...) {
    self.transport.on(self.url, respond: .json(encoding: TestIssuer.jwks(keys)))
  }

  /// The number of times that the key set was fetched.
  private var fetches: Int { self.transport.requests(to: self.url).count }

  @Test("keys are fetched when first needed and then cached")
  func caching() async throws {
    self.publish(self.first, self.second)
    let cache = try self.cache()
    #expect(self.fetches == 0)
    for id in ["a", "b", "a", "b"] { #expect(try await cache.key(id: id, algorithm: "ES256").id == id) }
    #expect(self.fetches == 1)
  }

  @Test("S-42: no fetch begins if the caller provides no transport, and this does not count as a failed fetch")
  func missingTransport() async throws {
    self.publish(self.first)
    let cache = JWKSCache(
      url: try EndpointURL(self.url), transport: self.transport, now: self.clock.source, retryInterval: .seconds(30))
    // The trailing closure returns the transport for a fetch, or `nil` if the caller may not start one.
    await #expect(throws: JWKSError.self) { try await cache.key(id: "a", algorithm: "ES256") { nil } }
    #expect(self.fetches == 0)
    let transport = self.transport
    #expect(try await cache.key(id: "a", algorithm: "ES256") { transport }.id == "a")
    #expect(try await cache.key(id: "a", algorithm: "ES256") { nil }.id == "a")
    #expect(self.fetches == 1)
  }

  @Test("C-29: after 30 seconds, an unknown kid causes a new fetch, so that a rotation is noticed")
  func rotation() async throws {
    self.publish(self.first)
    let cache = try self.cache()
    _ = try await cache.key(id: "a", algorithm: "ES256")
    self.publish(self.second)
    self.clock.advance(by: .seconds(30))
    #expect(try await cache.key(id: "b", algorithm: "ES256").id == "b")
    #expect(self.fetches == 2)
    await #expect(throws: JWKSError.unknownKey) { try await cache.key(id: "a", algorithm: "ES256") }
  }

  @Test("unknown kids cause at most one fetch every 30 seconds")
  func rateLimit() async throws {
    self.publish(self.first)
    let cache = try self.cache()
    _ = try await cache.key(id: "a", algorithm: "ES256")
    for number in 0..<100 {
      await #expect(throws: JWKSError.unknownKey) { try await cache.key(id: "x\(number)", algorithm: "ES256") }
    }
    #expect(self.fetches == 1)
    self.clock.advance(by: .seconds(30))
    for number in 0..<100 {
      await #expect(throws: JWKSError.unknownKey) { try await cache.key(id: "x\(number)", algorithm: "ES256") }
    }
    #expect(self.fetches == 2)
  }

  @Test("a clock that was set back does not prevent a new fetch")
  func clockSetBack() async throws {
    self.publish(self.first)
    let cache = try self.cache()
    _ = try await cache.key(id: "a", algorithm: "ES256")
    self.publish(self.first, self.second)
    self.clock.advance(by: .seconds(-86400))
    #expect(try await cache.key(id: "b", algorithm: "ES256").id == "b")
  }

  @Test(
    "a failed fetch keeps the cached keys",
    arguments: [
      .failure(.unreachable(reason: "down")), .failure(.timedOut), .success(.text("oops", status: .internalServerError)),
      .success(.json("[]")), .success(.json("{\"keys\":7}")), .success(.redirect(to: "https://evil.example/jwks")),
    ] as [FakeTransport.Outcome])
  func failedRefetch(outcome: FakeTransport.Outcome) async throws {
    func isDocumentError(_ error: JWKSError?) -> Bool {
      if case .document? = error { true } else { false }
    }
    self.publish(self.first)
    let cache = try self.cache()
    _ = try await cache.key(id: "a", algorithm: "ES256")
    self.transport.on(self.url) { _ in outcome }
    self.clock.advance(by: .seconds(30))
    // The key may be in the key set that could not be fetched, so it is not reported as unknown, even if no new fetch
    // begins.
    for _ in 0..<2 {
      let error = await #expect(throws: JWKSError.self) { try await cache.key(id: "b", algorithm: "ES256") }
      #expect(isDocumentError(error))
    }
    #expect(self.fetches == 2)
    #expect(try await cache.key(id: "a", algorithm: "ES256").id == "a")
    // The old keys remain in use even after the key set's lifetime if a new fetch fails.
    self.clock.advance(by: .seconds(3600))
    #expect(try await cache.key(id: "a", algorithm: "ES256").id == "a")
    let error = await #expect(throws: JWKSError.self) { try await cache.key(id: "b", algorithm: "ES256") }
    #expect(isDocumentError(error))
    #expect(self.fetches == 3)
  }

  @Test("callers do not wait for a slow fetch if the old key set has their key")
  func slowFetch() async throws {
    let cache = JWKSCache(
      url: try EndpointURL(self.url), transport: self.transport, now: self.clock.source, patience: .milliseconds(1))
    self.publish(self.first)
    _ = try await cache.key(id: "a", algorithm: "ES256")
    let (gate, jwks) = (Gate(), TestIssuer.jwks([self.second]))
    self.transport.on(self.url) { _ in
      await gate.wait()
      return .success(.json(encoding: jwks))
    }
    self.clock.advance(by: .seconds(3600))
    for _ in 0..<2 { #expect(try await cache.key(id: "a", algorithm: "ES256").id == "a") }
    // The new key is only in the key set that is being fetched.
    async let key = cache.key(id: "b", algorithm: "ES256")
    gate.open()
    #expect(try await key.id == "b")
    #expect(self.fetches == 2)
    await #expect(throws: JWKSError.unknownKey) { try await cache.key(id: "a", algorithm: "ES256") }
  }

  @Test("after a caller was canceled, the next one still waits for the fetch")
  func canceledCaller() async throws {
    let cache = JWKSCache(
      url: try EndpointURL(self.url), transport: self.transport, now: self.clock.source, patience: .seconds(60))
    self.publish(self.first)
    _ = try await cache.key(id: "a", algorithm: "ES256")
    let (gate, jwks) = (Gate(), TestIssuer.jwks([self.second]))
    self.transport.on(self.url) { _ in
      await gate.wait()
      return .success(.json(encoding: jwks))
    }
    self.clock.advance(by: .seconds(3600))
    let canceled = Task { try await cache.key(id: "a", algorithm: "ES256") }
    await self.transport.waitForRequests(2, to: self.url)
    canceled.cancel()
    _ = try? await canceled.value
    let key = Task { try await cache.key(id: "a", algorithm: "ES256") }
    // Without the wait, the task returns the old key now.
    for _ in 0..<100 { await Task.yield() }
    gate.open()
    await #expect(throws: JWKSError.unknownKey) { try await key.value }
  }

  @Test("a key set that is too old is not used, even if the fetch is slow")
  func slowFetchOfOldKeys() async throws {
    let cache = JWKSCache(
      url: try EndpointURL(self.url), transport: self.transport, now: self.clock.source, maximumAge: .seconds(7200),
      patience: .milliseconds(1))
    self.publish(self.first)
    _ = try await cache.key(id: "a", algorithm: "ES256")
    let (gate, jwks) = (Gate(), TestIssuer.jwks([self.second]))
    self.transport.on(self.url) { _ in
      await gate.wait()
      return .success(.json(encoding: jwks))
    }
    self.clock.advance(by: .seconds(7200))
    let key = Task { try await cache.key(id: "a", algorithm: "ES256") }
    await self.transport.waitForRequests(2, to: self.url)
    gate.open()
    await #expect(throws: JWKSError.unknownKey) { try await key.value }
  }

  @Test("a failed first fetch is reported, and the next call tries again")
  func failedFirstFetch() async throws {
    self.transport.on(self.url, fail: .timedOut)
    let cache = try self.cache()
    await #expect(throws: JWKSError.document(.transport(.timedOut))) { try await cache.key(id: "a", algorithm: "ES256") }
    self.publish(self.first)
    #expect(try await cache.key(id: "a", algorithm: "ES256").id == "a")
  }

  @Test("C-29: a withdrawn key is trusted until the cached key set expires and is fetched again")
  func lifetime() async throws {
    self.publish(self.first, self.second)
    let cache = try self.cache()
    _ = try await cache.key(id: "a", algorithm: "ES256")
    self.publish(self.second)
    self.clock.advance(by: .seconds(3599))
    #expect(try await cache.key(id: "a", algorithm: "ES256").id == "a")
    self.clock.advance(by: .seconds(1))
    await #expect(throws: JWKSError.unknownKey) { try await cache.key(id: "a", algorithm: "ES256") }
  }

  @Test("concurrent callers share one fetch")
  func concurrentCallers() async throws {
    let (gate, jwks) = (Gate(), TestIssuer.jwks([self.first, self.second]))
    self.transport.on(self.url) { _ in
      await gate.wait()
      return .success(.json(encoding: jwks))
    }
    let cache = try self.cache()
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask { try await cache.key(id: number.isMultiple(of: 2) ? "a" : "b", algorithm: "ES256").id }
      }
      await self.transport.waitForRequests(1, to: self.url)
      gate.open()
      for try await id in group { #expect(id == "a" || id == "b") }
    }
    #expect(self.fetches == 1)
  }

  @Test("canceling one caller does not affect the others")
  func cancellation() async throws {
    let (gate, jwks) = (Gate(), TestIssuer.jwks([self.first]))
    self.transport.on(self.url) { _ in
      await gate.wait()
      return .success(.json(encoding: jwks))
    }
    let cache = try self.cache()
    let canceledCaller = Task { try await cache.key(id: "a", algorithm: "ES256") }
    await self.transport.waitForRequests(1, to: self.url)
    canceledCaller.cancel()
    async let key = cache.key(id: "a", algorithm: "ES256")
    gate.open()
    #expect(try await key.id == "a")
    #expect(self.fetches == 1)
  }

  @Test("C-29: a token without a kid is matched only if exactly one key fits")
  func withoutID() async throws {
    self.publish(self.first, try .rsa(id: "r"))
    let cache = try self.cache()
    #expect(try await cache.key(id: nil, algorithm: "ES256").id == "a")
    #expect(try await cache.key(id: nil, algorithm: "RS256").id == "r")
    await #expect(throws: JWKSError.unknownKey) { try await cache.key(id: nil, algorithm: "ES384") }
    self.publish(self.first, self.second)
    self.clock.advance(by: .seconds(3600))
    await #expect(throws: JWKSError.ambiguousKey) { try await cache.key(id: nil, algorithm: "ES256") }
  }

  @Test(
    "C-29: an unsupported algorithm is rejected without a fetch", arguments: ["none", "HS256", "HS512", "es256", "", "ES256K"])
  func unsupported(algorithm: String) async throws {
    self.publish(self.first)
    let cache = try self.cache()
    await #expect(throws: JWKSError.unsupportedAlgorithm) { try await cache.key(id: "a", algorithm: algorithm) }
    #expect(self.fetches == 0)
  }
}
