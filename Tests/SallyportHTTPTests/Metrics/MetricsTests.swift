import HTTPTypes
import SallyportObservability
import SallyportMetrics
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Server metrics")
struct MetricsTests {
  /// Returns the values of the samples with exactly this name, by their labels in braces. The key of a sample without
  /// labels is empty.
  private func samples(_ prometheus: PrometheusMetrics, _ name: String) -> [String: Double] {
    prometheus.text().split(separator: "\n").filter { $0.hasPrefix("\(name) ") || $0.hasPrefix("\(name){") }
      .reduce(into: [:]) { samples, line in
        let words = line.split(separator: " ")
        samples[words.dropLast().joined(separator: " ").replacing(name, with: "")] = words.last.flatMap { Double($0) }
      }
  }

  private func withMeasuredSite(
    hasher: TestPasswordHasher = TestPasswordHasher(), _ body: @Sendable (Site, PrometheusMetrics) async throws -> Void
  ) async throws {
    let prometheus = PrometheusMetrics(describing: ServerMetrics.descriptions)
    try await withSite(hasher: hasher, metrics: ServerMetrics(factory: prometheus)) { try await body($0, prometheus) }
  }

  @Test("requests are counted by route template, method, and status class")
  func requests() async throws {
    try await self.withMeasuredSite { site, prometheus in
      for _ in 0..<3 { _ = try await site.send(.get, "/jwks.json") }
      _ = try await site.send(.head, "/jwks.json")
      _ = try await site.send(.post, "/jwks.json?code=c")
      _ = try await site.send(.get, "/register/some-client-id")
      _ = try await site.refresh("wrong")
      let counts = self.samples(prometheus, "sallyport_http_requests_total")
      #expect(counts[#"{method="GET",route="/jwks.json",status="2xx"}"#] == 3)
      #expect(counts[#"{method="HEAD",route="/jwks.json",status="2xx"}"#] == 1)
      #expect(counts[#"{method="POST",route="/jwks.json",status="4xx"}"#] == 1)
      #expect(counts[#"{method="POST",route="/token",status="4xx"}"#] == 1)
      #expect(counts.keys.filter { $0.contains("/register/") }.count == 1 && !"\(counts)".contains("some-client-id"))
      #expect(self.samples(prometheus, "sallyport_http_request_duration_seconds_count")[#"{route="/jwks.json"}"#] == 5)
      #expect(self.samples(prometheus, "sallyport_http_requests_in_flight")[""] == 0)
    }
  }

  @Test("unknown paths, methods, and parameters in requests do not create new labels")
  func bounded() async throws {
    try await self.withMeasuredSite { site, prometheus in
      for index in 0..<200 {
        _ = try await site.send(.get, "/nowhere-\(index)")
        _ = try await site.send(try #require(HTTPRequest.Method("BREW\(index)")), "/token")
        _ = try await site.send(try #require(HTTPRequest.Method("BREW\(index)")), "/nowhere-\(index)\"}%0A")
        _ = try await site.post("/token", [("grant_type", "grant-\(index)"), ("client_id", "client-\(index)")])
        _ = try await site.send(.get, "/authorize?client_id=client-\(index)&response_type=r\(index)")
      }
      let counts = self.samples(prometheus, "sallyport_http_requests_total")
      #expect(counts[#"{method="GET",route="none",status="4xx"}"#] == 200)
      #expect(counts[#"{method="other",route="none",status="4xx"}"#] == 400)
      // The other two series count POST /token and GET /authorize.
      #expect(counts.count == 4, "\(counts)")
      #expect(self.samples(prometheus, "sallyport_refusals_total").count == 2)
      for word in ["BREW", "nowhere", "grant-", "client-"] { #expect(!prometheus.text().contains(word), "\(word)") }
    }
  }

  @Test("tokens are counted by grant type, errors by endpoint and code, and reused credentials by kind")
  func tokens() async throws {
    try await self.withMeasuredSite { site, prometheus in
      let code = try await site.code()
      let first = try Tokens(try await site.redeem(code))
      _ = try Tokens(try await site.refresh(first.refresh))
      #expect(
        self.samples(prometheus, "sallyport_tokens_issued_total") == [
          #"{grant_type="authorization_code"}"#: 1, #"{grant_type="refresh_token"}"#: 1, #"{grant_type="client_credentials"}"#: 0,
          #"{grant_type="device_code"}"#: 0,
        ])
      #expect(self.samples(prometheus, "sallyport_refusals_total").isEmpty)
      site.fixture.clock.advance(by: .seconds(60))
      #expect(try await site.refresh(first.refresh).status == .badRequest)
      #expect(try await site.redeem(code).status == .badRequest)
      _ = try await site.send(.get, "/token")
      _ = try await site.userinfo("nonsense")
      _ = try await site.send(.get, "/authorize?client_id=nobody")
      _ = try await TestBrowser(site).authorize(AuthorizeParameters().with("code_challenge", nil))
      _ = try await site.send(.post, "/register", headers: [.contentType: "application/json"], body: Array("{}".utf8))
      _ = try await site.send(.post, "/register", headers: [.contentType: "text/plain"], body: Array("{}".utf8))
      #expect(
        self.samples(prometheus, "sallyport_refusals_total") == [
          #"{endpoint="token",error="invalid_grant"}"#: 2, #"{endpoint="token",error="invalid_request"}"#: 1,
          #"{endpoint="userinfo",error="invalid_token"}"#: 1, #"{endpoint="authorization",error="invalid_client"}"#: 1,
          #"{endpoint="authorization",error="invalid_request"}"#: 1,
          #"{endpoint="registration",error="invalid_redirect_uri"}"#: 1,
          #"{endpoint="registration",error="invalid_client_metadata"}"#: 1,
        ])
      #expect(self.samples(prometheus, "sallyport_credential_replays_total")[#"{credential="refresh_token"}"#] == 1)
    }
  }

  @Test("sign-ins are counted by outcome")
  func signIns() async throws {
    try await self.withMeasuredSite { site, prometheus in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      _ = try await browser.signIn(page, password: "wrong")
      _ = try await browser.signIn(page, as: "nobody")
      _ = try await browser.signIn(page)
      let counts = self.samples(prometheus, "sallyport_sign_ins_total")
      #expect(counts[#"{outcome="refused"}"#] == 2 && counts[#"{outcome="success"}"#] == 1)
    }
    // A user who changes the password of the account does not sign in again.
    try await self.withMeasuredSite { site, prometheus in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let form = try await browser.open("/account/password")
      let fields = [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]
      #expect(try await browser.submit(form, fields).body.contains("Your password was changed."))
      #expect(self.samples(prometheus, "sallyport_sign_ins_total")[#"{outcome="success"}"#] == 1)
    }
    try await self.withMeasuredSite(hasher: TestPasswordHasher(isOverloaded: true)) { site, prometheus in
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      #expect(self.samples(prometheus, "sallyport_sign_ins_total")[#"{outcome="overloaded"}"#] == 1)
    }
  }

  @Test("after a sign-in, the metrics contain no secret, user name, or client ID")
  func secretless() async throws {
    try await self.withMeasuredSite { site, prometheus in
      let request = AuthorizeParameters()
      let code = try await site.code(request)
      let tokens = try Tokens(try await site.redeem(code))
      _ = try await site.refresh(tokens.refresh)
      _ = try await site.userinfo(tokens.access)
      let text = prometheus.text()
      for secret in [
        code, tokens.access, tokens.refresh, tokens.id, AuthorizeParameters.verifier, AuthorizeParameters.challenge,
        TestServer.password, try #require(request["state"]), try #require(request["nonce"]), "ada", TestClient.loopback.rawValue,
      ] { #expect(!text.contains(secret), "\(secret)") }
    }
  }

  @Test("store operations are timed and their failures are counted; a transaction that rolls itself back is not a failure")
  func store() async throws {
    let fixture = try await TestServer()
    let prometheus = PrometheusMetrics(describing: ServerMetrics.descriptions)
    let store = MeasuredStore(fixture.store, metrics: ServerMetrics(factory: prometheus), tracing: .off)
    _ = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("i", expires: .now()) }
    await #expect(throws: StoreError.rolledBack) {
      try await store.write { (_) throws(StoreError) -> Void in throw .rolledBack }
    }
    let before = self.samples(prometheus, "sallyport_store_errors_total")
    #expect(before == [#"{operation="read"}"#: 0, #"{operation="write"}"#: 0, #"{operation="commit"}"#: 0])
    #expect(self.samples(prometheus, "sallyport_store_write_duration_seconds_count")[""] == 2)
    try TestDatabase.close(fixture.store)
    _ = try? await store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    _ = try? await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("j", expires: .now()) }
    _ = try? await store.removeExpired(before: .now(), limit: 1)
    let after = self.samples(prometheus, "sallyport_store_errors_total")
    // `removeExpired` counts as a write.
    #expect(after[#"{operation="read"}"#] == 1 && after[#"{operation="write"}"#] == 2)
  }

  @Test("password hashing is timed, except for calls that are rejected because of overload")
  func hasher() async throws {
    let prometheus = PrometheusMetrics(describing: ServerMetrics.descriptions)
    let metrics = ServerMetrics(factory: prometheus)
    let hasher = MeasuredHasher(TestPasswordHasher(), metrics: metrics, tracing: .off)
    let hash = try await hasher.hash(Secret("p"))
    #expect(try await hasher.verify(Secret("p"), against: hash))
    let overloadedHasher = MeasuredHasher(TestPasswordHasher(isOverloaded: true), metrics: metrics, tracing: .off)
    await #expect(throws: PasswordHasherError.overloaded) { try await overloadedHasher.verify(Secret("p"), against: hash) }
    #expect(self.samples(prometheus, "sallyport_password_duration_seconds_count")[""] == 2)
  }
}
