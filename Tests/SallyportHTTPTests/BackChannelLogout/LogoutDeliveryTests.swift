import Hummingbird
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import SocketTestSupport
import TestSupport
import Testing

@Suite("Delivering logout tokens", .timeLimit(.minutes(5)))
struct LogoutDeliveryTests {
  private let transport = FakeTransport()

  /// Signs in to the client ``TestClient/web`` and out again, so that a delivery is stored.
  private func signInAndOut(_ site: Site, at uri: String = Site.backChannelLogoutURI) async throws {
    try await site.registerLogoutURI(for: .web, at: uri)
    let browser = TestBrowser(site)
    _ = try await browser.complete(AuthorizeParameters(.web))
    try await browser.signOut()
  }

  @Test("Back-Channel Logout §2.8: a 400 response is final, and the request is not repeated")
  func rejected() async throws {
    self.transport.on(Site.backChannelLogoutURI, respond: .json(#"{"error":"invalid_request"}"#, status: .badRequest))
    try await withSite(transport: self.transport) { site in
      try await self.signInAndOut(site)
      #expect(try await site.deliver() == [.rejected])
      #expect(try await site.deliveries().isEmpty)
    }
  }

  @Test(
    "after a failure other than a 400 response, a delivery is retried with increasing delays and the same jti, at most five times",
    arguments: [
      .failure(.timedOut), .failure(.unreachable(reason: "refused")), .failure(.untrusted(reason: "expired")),
      .failure(.bodyTooLarge), .success(.redirect(to: "https://evil.example/")),
      .success(.text("", status: .internalServerError)),
      .success(.text("", status: .accepted)), .success(.text("", status: .notFound)),
    ] as [FakeTransport.Outcome])
  func retries(outcome: FakeTransport.Outcome) async throws {
    self.transport.on(Site.backChannelLogoutURI) { _ in outcome }
    try await withSite(transport: self.transport) { site in
      try await self.signInAndOut(site)
      for delay in [10, 60, 600, 3600, 6 * 3600] {
        #expect(try await site.deliver() == [.failed])
        site.fixture.clock.advance(by: .seconds(delay - 1))
        #expect(try await site.deliver().isEmpty)
        site.fixture.clock.advance(by: .seconds(1))
      }
      #expect(try await site.deliver() == [.givenUp])
      #expect(try await site.deliveries().isEmpty)
      let tokens = self.transport.requests(to: Site.backChannelLogoutURI).compactMap { $0.form?["logout_token"] }
      #expect(tokens.count == 6 && self.transport.requests.count == 6)
      let identifiers = try tokens.map { try decodedClaims(of: $0)["jti"] as? String }
      #expect(Set(identifiers).count == 1)
      #expect(try decodedClaims(of: tokens[5])["iat"] as? Int64 == site.now)
    }
  }

  @Test("a delivery that is interrupted because the server stops is repeated after 30 seconds")
  func interrupted() async throws {
    self.transport.on(Site.backChannelLogoutURI, fail: .cancelled)
    try await withSite(transport: self.transport) { site in
      try await self.signInAndOut(site)
      #expect(try await site.deliver().isEmpty)
      self.transport.on(Site.backChannelLogoutURI, respond: .text("", status: .ok))
      site.fixture.clock.advance(by: .seconds(30))
      #expect(try await site.deliver() == [.delivered])
    }
  }

  @Test("a delivery that one process began but did not finish is sent by another process after 30 seconds")
  func crash() async throws {
    self.transport.on(Site.backChannelLogoutURI, respond: .text("", status: .ok))
    try await withSite { site in
      try await self.signInAndOut(site)
      let now = site.fixture.clock.now
      let claimed = try await site.fixture.store.write { (tx) throws(StoreError) in
        try tx.claimLogoutDelivery(isDynamic: false, except: [], retry: now + .seconds(30), at: now)
      }
      #expect(claimed != nil)
      let other = try site.fixture.otherProcess(transport: self.transport).logoutDeliveries
      #expect(try await other.deliverDue() == 0)
      site.fixture.clock.advance(by: .seconds(30))
      #expect(try await other.deliverDue() == 1)
      #expect(self.transport.requests.count == 1)
      #expect(try await site.deliveries().isEmpty)
    }
  }

  @Test("a delivery that was not sent for a day is given up and recorded in the audit trail, and nothing is sent")
  func expiry() async throws {
    try await withSite(transport: self.transport) { site in
      try await self.signInAndOut(site)
      // No server ran for a day. When a server starts, it removes expired rows. It must not remove the delivery, so
      // that the audit trail shows that the delivery was given up.
      site.fixture.clock.advance(by: .seconds(86_401))
      let store = site.fixture.store
      while try await store.removeExpired(before: site.fixture.clock.now, limit: 100) == 100 {}
      #expect(try await site.deliver() == [.givenUp])
      #expect(try await site.deliveries().isEmpty && self.transport.requests.isEmpty)
      let records = try await site.trail(.logoutNotDelivered)
      #expect(records.map(\.reason) == [.givenUp] && records.map(\.client) == [TestClient.web.id])
      #expect(try await site.deliver().isEmpty)
    }
  }

  /// Makes requests to `url` hang until the returned gate opens, and then fail. Requests to
  /// ``Site/backChannelLogoutURI`` succeed.
  private func hangRequests(to url: String) -> Gate {
    let gate = Gate()
    self.transport.on(url) { _ in
      await gate.wait()
      return .failure(.timedOut)
    }
    self.transport.on(Site.backChannelLogoutURI, respond: .text("", status: .ok))
    return gate
  }

  @Test("a sign-out is delivered immediately while the worker runs, and an app that hangs does not delay others")
  func worker() async throws {
    let gate = self.hangRequests(to: "https://hangs.example/x")
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .claimedHTTPS, at: "https://hangs.example/x")
      try await site.registerLogoutURI(for: .web)
      let delivered = Gate()
      let worker = Task {
        await site.fixture.server.logoutDeliveries.run(
          pause: .seconds(3600), report: { if $1 == .delivered { delivered.open() } }, failure: { _ in })
      }
      let browser = TestBrowser(site)
      for client in [TestClient.claimedHTTPS, .web] { _ = try await browser.complete(AuthorizeParameters(client)) }
      try await browser.signOut()
      await delivered.wait()
      await self.transport.waitForRequests(1, to: "https://hangs.example/x")
      worker.cancel()
      gate.open()
      await worker.value
      #expect(try await site.deliveries().map(\.client.rawValue) == ["claimed"])
    }
  }

  @Test("if a user signs out of another browser on the account page, the apps of that browser are notified immediately")
  func otherBrowser() async throws {
    let gate = self.hangRequests(to: "https://hangs.example/x")
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .claimedHTTPS, at: "https://hangs.example/x")
      try await site.registerLogoutURI(for: .web)
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      _ = try await other.complete(AuthorizeParameters(.web))
      try await browser.openAccount()
      try await site.insertDelivery(to: TestClient.claimedHTTPS.id)
      let worker = Task {
        await site.fixture.server.logoutDeliveries.run(pause: .seconds(3600), report: { _, _ in }, failure: { _ in })
      }
      // The worker has searched for deliveries, and searches again only when it is signaled.
      await self.transport.waitForRequests(1, to: "https://hangs.example/x")
      _ = try await browser.postAccount("browsers", [("action", "sign-out-others")])
      await self.transport.waitForRequests(1, to: Site.backChannelLogoutURI)
      worker.cancel()
      gate.open()
      await worker.value
    }
  }

  @Test("40 self-registered apps that hang take at most half of the concurrent deliveries, and do not delay an operator's app")
  func dynamicClients() async throws {
    let gate = self.hangRequests(to: "https://self.example/out")
    try await withSite(transport: self.transport) { site in
      for number in 1...40 {
        var client = try TestClient.dynamic.record
        client.id = ClientID(rawValue: "dynamic-\(number)")
        client.details.backchannelLogoutURI = "https://self.example/out"
        try await site.add(client)
        try await site.insertDelivery(to: client.id)
      }
      try await site.registerLogoutURI(for: .web)
      let delivered = Gate()
      let worker = Task {
        await site.fixture.server.logoutDeliveries.run(
          pause: .seconds(3600), report: { if $1 == .delivered { delivered.open() } }, failure: { _ in })
      }
      // Half of the 16 deliveries that can run at the same time.
      await self.transport.waitForRequests(8, to: "https://self.example/out")
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.web))
      try await browser.signOut()
      await delivered.wait()
      #expect(self.transport.requests(to: "https://self.example/out").count == 8)
      gate.open()
      await self.transport.waitForRequests(40, to: "https://self.example/out")
      worker.cancel()
      await worker.value
    }
  }

  @Test("a delivery begins when another ends, even if other deliveries hang; one app gets at most two concurrent deliveries")
  func startsNext() async throws {
    let gate = self.hangRequests(to: "https://hangs.example/x")
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .claimedHTTPS, at: "https://hangs.example/x")
      try await site.registerLogoutURI(for: .web)
      for _ in 1...5 { try await site.insertDelivery(to: TestClient.claimedHTTPS.id) }
      for _ in 1...30 { try await site.insertDelivery(to: TestClient.web.id) }
      let worker = Task {
        await site.fixture.server.logoutDeliveries.run(pause: .seconds(3600), report: { _, _ in }, failure: { _ in })
      }
      await self.transport.waitForRequests(30, to: Site.backChannelLogoutURI)
      #expect(self.transport.requests(to: "https://hangs.example/x").count == 2)
      worker.cancel()
      gate.open()
      await worker.value
    }
  }

  enum AppBehavior: String, CaseIterable { case responds, slow, redirects, dead, floods }

  @Test(
    """
    over real sockets: a delivery to a slow, dead, flooding, or redirecting app fails and stays stored; a delivery to an app \
    that responds succeeds
    """,
    arguments: AppBehavior.allCases)
  func sockets(behavior: AppBehavior) async throws {
    let (received, redirected) = (Collected<String>(), Collected<String>())
    let testEnded = Gate()
    try await withServer { router in
      router.post("/out") { request, _ in
        received.add(String(buffer: try await request.body.collect(upTo: 1 << 16)))
        switch behavior {
        case .slow: await testEnded.wait()
        case .redirects: return Response(status: .temporaryRedirect, headers: [.location: "/elsewhere"])
        case .floods: return Response(status: .ok, body: .init(byteBuffer: .init(repeating: 0x20, count: 1 << 20)))
        case .responds, .dead: break
        }
        return Response(status: .ok)
      }
      router.post("/elsewhere") { _, _ in
        redirected.add("")
        return Response(status: .ok)
      }
    } _: { port in
      defer { testEnded.open() }
      try await AsyncHTTPClientTransport.withTransport { transport in
        try await withSite(transport: transport) { site in
          // No process listens on port 1.
          try await self.signInAndOut(site, at: "http://127.0.0.1:\(behavior == .dead ? 1 : port)/out")
          var deliveries = site.fixture.server.logoutDeliveries
          deliveries.timeout = behavior == .slow ? .milliseconds(200) : .seconds(5)
          let outcomes = Collected<String>()
          _ = try await deliveries.deliverDue { _, outcome in outcomes.add(outcome.rawValue) }
          #expect(outcomes.values == [behavior == .responds ? "delivered" : "failed"])
          #expect(received.values.count == (behavior == .dead ? 0 : 1) && redirected.values.isEmpty)
          #expect(received.values.allSatisfy { $0.hasPrefix("logout_token=ey") })
          #expect(try await site.deliveries().count == (behavior == .responds ? 0 : 1))
        }
      }
    }
  }
}
