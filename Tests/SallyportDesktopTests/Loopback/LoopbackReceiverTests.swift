import Glibc
import Sallyport
import SallyportProtocol
import Synchronization
import Testing

@testable import SallyportDesktop

@Suite(.timeLimit(.minutes(3)))
struct LoopbackReceiverTests {
  let server: ServerConfiguration

  init() throws {
    self.server = ServerConfiguration(issuer: try Issuer("https://issuer.example"))
  }

  @Test("C-09: the redirect URI contains the bound address and port, and the response arrives unchanged")
  func roundTrip() async throws {
    try await LoopbackReceiver().withRedirect(for: self.server) { bound in
      #expect(bound.redirectURI.value == "http://127.0.0.1:\(bound.port)/oauth2redirect/issuer.example")
      async let page = TestBrowser.get(bound.response)
      let received = try await bound.response(where: TestBrowser.accepts)
      #expect(received.callbackURL.reveal() == bound.response)
      await received.finish(.signedIn(appName: "Notes"))
      #expect(await page.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(await page.contains("Notes"))
    }
  }

  @Test("C-27: the last page is not cached, and allows only its own style sheet and its embedded icon")
  func pageHeaders() async throws {
    let page = try await self.page { await $0.finish(.denied) }
    let head = try #require(page.split(separator: "\r\n\r\n", maxSplits: 1).first)
    for field in [
      "Content-Type: text/html; charset=utf-8", "Connection: close", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff",
      "Content-Security-Policy: default-src 'none'; style-src \(LastPage.styleHash); img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'",
    ] {
      #expect(head.split(separator: "\r\n").contains(field[...]), "\(field)")
    }
    #expect(page.hasSuffix(LastPage.html(.denied)))
  }

  @Test("C-27: if the sign-in ends without an outcome, the browser gets a neutral page")
  func neutralPage() async throws {
    let page = try await self.page { _ in }
    #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(page.hasSuffix(LastPage.html(nil)))
  }

  @Test("C-27: if the outcome is reported too late, the browser has already got a neutral page, and the outcome is discarded")
  func lateFinish() async throws {
    var limits = ReceiverLimits()
    limits.lastPageTime = .zero
    try await LoopbackReceiver(redirectURI: nil, limits: limits).withRedirect(for: self.server) { bound in
      async let page = TestBrowser.get(bound.response)
      let received = try await bound.response(where: TestBrowser.accepts)
      #expect(await page.hasSuffix(LastPage.html(nil)))
      await received.finish(.failed)
    }
  }

  @Test("if the user closes the tab before the last page arrives, the sign-in continues")
  func closedTab() async throws {
    try await LoopbackReceiver().withRedirect(for: self.server) { bound in
      let socket = try #require(TestSocket(port: bound.port))
      socket.send(TestBrowser.request(bound.response))
      let received = try await bound.response(where: TestBrowser.accepts)
      socket.reset()
      await received.finish(.signedIn(appName: nil))
      #expect(received.callbackURL.reveal() == bound.response)
    }
  }

  @Test("C-11: the port is open when the browser starts, and closed after the response")
  func closedAfterResponse() async throws {
    let port = try await LoopbackReceiver().withRedirect(for: self.server) { bound in
      #expect(TestSocket.canConnect(port: bound.port))
      async let page = TestBrowser.get(bound.response)
      let received = try await bound.response(where: TestBrowser.accepts)
      #expect(!TestSocket.canConnect(port: bound.port))
      #expect(!TestSocket.canConnect(.ipv6, port: bound.port))
      await received.finish(.failed)
      _ = await page
      return bound.port
    }
    #expect(!TestSocket.canConnect(port: port))
  }

  @Test("C-11: the port is closed when the sign-in returns, throws, is canceled, or times out", arguments: Ending.allCases)
  func closedAfter(_ ending: Ending) async throws {
    let bound = Mutex<UInt16>(0)
    let (waiting, continuation) = AsyncStream.makeStream(of: Void.self)
    let receiver = LoopbackReceiver(redirectURI: nil, limits: .longTimeouts)
    let task = Task {
      try await receiver.withRedirect(for: self.server) { redirect in
        bound.withLock { $0 = redirect.port }
        continuation.finish()
        switch ending {
        case .returns: break
        case .throwsError: throw RedirectReceiverError.failed(reason: "a test")
        case .canceledWhileWaiting: _ = try await redirect.response { _ in false }
        case .timesOut: try await self.response(redirect, timeout: .milliseconds(1))
        }
      }
    }
    for await _ in waiting {}
    if ending == .canceledWhileWaiting { task.cancel() }
    switch await task.result {
    case .success: #expect(ending == .returns)
    case .failure(let error): #expect((error is CancellationError) == (ending == .canceledWhileWaiting))
    }
    let port = bound.withLock { $0 }
    #expect(!TestSocket.canConnect(port: port))
    #expect(!TestSocket.canConnect(.ipv6, port: port))
  }

  enum Ending: CaseIterable {
    case returns, throwsError, canceledWhileWaiting, timesOut
  }

  @Test("C-12: the port cannot be reached at any address of this machine except 127.0.0.1 and ::1")
  func loopbackOnly() async throws {
    try await LoopbackReceiver().withRedirect(for: self.server) { bound in
      #expect(TestSocket.canConnect(port: bound.port))
      for address in NetworkAddresses.others {
        #expect(!TestSocket.canConnect(address.family, port: bound.port, host: address), "\(address)")
      }
    }
  }

  @Test("C-14: the listening sockets disallow reuse, use only their own address family, and close on exec; a second bind fails")
  func socketOptions() async throws {
    try await LoopbackReceiver().withRedirect(for: self.server) { bound in
      let listeners = ListeningSockets.all(on: bound.port)
      #expect(listeners.count == 2)
      for listener in listeners {
        #expect(ListeningSockets.option(listener, SOL_SOCKET, SO_REUSEADDR) == 0)
        #expect(ListeningSockets.option(listener, SOL_SOCKET, SO_REUSEPORT) == 0)
        #expect(fcntl(listener, F_GETFD) & FD_CLOEXEC != 0)
      }
      #expect(listeners.filter { ListeningSockets.option($0, Int32(IPPROTO_IPV6), IPV6_V6ONLY) == 1 }.count == 1)
      for family in SocketAddress.Family.allCases {
        #expect(ListeningSockets.bindError(family, port: bound.port, reusing: true) == EADDRINUSE)
      }
    }
  }

  @Test(
    "C-13: `localhost` is used only if it was requested",
    arguments: [
      (nil, "http://127.0.0.1:PORT/oauth2redirect/issuer.example"),
      ("http://127.0.0.1/cb", "http://127.0.0.1:PORT/cb"), ("http://[::1]/cb", "http://[::1]:PORT/cb"),
      ("http://localhost/cb", "http://localhost:PORT/cb"), ("http://127.0.0.1/cb?app=1", "http://127.0.0.1:PORT/cb?app=1"),
      ("http://127.0.0.1", "http://127.0.0.1:PORT"),
    ] as [(String?, String)])
  func requestedURI(_ requested: String?, _ expected: String) async throws {
    let receiver = LoopbackReceiver(redirectURI: try requested.map { try RedirectURI($0) })
    try await receiver.withRedirect(for: self.server) { bound in
      #expect(bound.redirectURI.value == expected.replacing("PORT", with: "\(bound.port)"))
      // By default and for `localhost`, the port is bound for IPv4 and IPv6. For an address, only its family is bound.
      #expect(ListeningSockets.all(on: bound.port).count == (requested == nil || expected.contains("localhost") ? 2 : 1))
      let response = "\(bound.redirectURI)\(expected.contains("?") ? "&" : "?")state=good"
      async let page = TestBrowser.get(response)
      let received = try await bound.response(where: TestBrowser.accepts)
      #expect(received.callbackURL.reveal() == response)
      await received.finish(.signedIn(appName: nil))
      _ = await page
    }
  }

  @Test(
    "C-13: the default redirect URI contains `localhost` only if the server's configuration says so, and the port is open only at loopback addresses",
    arguments: [(.localhost, 2), (.ipv4, 1), (.ipv6, 1)] as [(LoopbackHost, Int)])
  func configuredHost(_ host: LoopbackHost, _ sockets: Int) async throws {
    var server = self.server
    server.loopbackHost = host
    try await LoopbackReceiver().withRedirect(for: server) { bound in
      #expect(bound.redirectURI.value == "http://\(host.rawValue):\(bound.port)/oauth2redirect/issuer.example")
      #expect(ListeningSockets.all(on: bound.port).count == sockets)
      for address in NetworkAddresses.others {
        #expect(!TestSocket.canConnect(address.family, port: bound.port, host: address), "\(address)")
      }
      async let page = TestBrowser.get(bound.response)
      let received = try await bound.response(where: TestBrowser.accepts)
      #expect(received.callbackURL.reveal() == bound.response)
      await received.finish(.signedIn(appName: nil))
      _ = await page
    }
  }

  @Test("C-09: a fixed port can be bound again immediately after a sign-in, and a port that is in use causes an error")
  func fixedPort() async throws {
    let port = try LoopbackBinding.bind([.ipv4], port: nil).port
    let receiver = LoopbackReceiver(redirectURI: try RedirectURI("http://127.0.0.1:\(port)/cb"))
    for _ in 0..<3 {
      try await receiver.withRedirect(for: self.server) { bound in
        #expect(bound.port == port)
        async let rejection = TestBrowser.get("http://127.0.0.1:\(port)/favicon.ico?")
        async let page = TestBrowser.get(bound.response)
        let received = try await bound.response(where: TestBrowser.accepts)
        await received.finish(.signedIn(appName: nil))
        _ = await (page, rejection)
      }
    }
    try await receiver.withRedirect(for: self.server) { _ in
      _ = await #expect(throws: RedirectReceiverError.cannotBind(reason: "port \(port): Address already in use")) {
        try await receiver.withRedirect(for: self.server) { _ in }
      }
    }
  }

  @Test(
    "C-09: a fixed port can be bound again even if other connections were open when the response arrived",
    arguments: ["GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "GET /"])
  func fixedPortWithOpenConnection(other request: String) async throws {
    let port = try LoopbackBinding.bind([.ipv4], port: nil).port
    let receiver = LoopbackReceiver(redirectURI: try RedirectURI("http://127.0.0.1:\(port)/cb"))
    try await receiver.withRedirect(for: self.server) { bound in
      let other = try #require(TestSocket(port: port))
      other.send(request)
      async let page = TestBrowser.get(bound.response)
      let received = try await bound.response(where: TestBrowser.accepts)
      await received.finish(.signedIn(appName: nil))
      _ = await page
      // The client has not closed the other connection. The port is free only because the receiver has reset this
      // connection.
      try await receiver.withRedirect(for: self.server) { #expect($0.port == port) }
      withExtendedLifetime(other) {}
    }
  }

  @Test("C-28: the port of an earlier sign-in is bound again if it is free, with the same redirect URI")
  func boundAgain() async throws {
    let earlier = try await LoopbackReceiver().withRedirect(for: self.server) { $0.redirectURI }
    try await LoopbackReceiver().withRedirect(at: earlier) { bound in
      #expect(bound.redirectURI == earlier)
      async let page = TestBrowser.get(bound.response)
      let received = try await bound.response(where: TestBrowser.accepts)
      #expect(received.callbackURL.reveal() == bound.response)
      await received.finish(.signedIn(appName: nil))
      #expect(await page.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("if the port of an earlier sign-in is in use, the error names the port")
  func notBoundAgain() async throws {
    try await LoopbackReceiver().withRedirect(for: self.server) { bound in
      let error = await #expect(throws: RedirectReceiverError.self) {
        try await LoopbackReceiver().withRedirect(at: bound.redirectURI) { _ in }
      }
      guard case .cannotBind(let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.hasPrefix("port \(bound.port): "))
    }
  }

  @Test("C-17: the path contains the issuer's host, and for an https issuer also its port and path")
  func pathPerIssuer() async throws {
    for (issuer, path) in [
      ("https://id.example/realms/a", "/oauth2redirect/id.example/realms/a"),
      ("https://id.example:8443", "/oauth2redirect/id.example:8443"), ("http://localhost:8080", "/oauth2redirect/localhost"),
    ] {
      try await LoopbackReceiver().withRedirect(for: ServerConfiguration(issuer: Issuer(issuer))) { bound in
        #expect(bound.redirectURI.components.path == path)
      }
    }
  }

  @Test(
    "a redirect URI that is not a loopback URI is rejected", arguments: ["https://app.example/cb", "com.example.app:/cb"])
  func notLoopback(_ uri: String) async throws {
    let receiver = LoopbackReceiver(redirectURI: try RedirectURI(uri))
    await #expect(throws: RedirectReceiverError.cannotBind(reason: "the redirect URI is not on a loopback address")) {
      try await receiver.withRedirect(for: self.server) { _ in () }
    }
  }

  /// Returns the page that the browser receives after its response is accepted.
  private func page(_ finish: @Sendable @escaping (ReceivedRedirect) async -> Void) async throws -> String {
    let browser = Mutex<Task<String, Never>?>(nil)
    try await LoopbackReceiver(redirectURI: nil, limits: .longTimeouts).withRedirect(for: self.server) { bound in
      browser.withLock { $0 = Task { await TestBrowser.get(bound.response) } }
      await finish(try await bound.response(where: TestBrowser.accepts))
    }
    let task = try #require(browser.withLock { $0 })
    return await task.value
  }

  /// Waits for a response that never comes, and throws after the timeout.
  private func response(_ bound: BoundRedirect, timeout: Duration) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await bound.response { _ in false } }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw RedirectReceiverError.failed(reason: "time-out")
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
