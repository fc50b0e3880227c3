import Glibc
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@testable import SallyportDesktop

/// Checks that hostile traffic does not prevent the authorization response from arriving. Most tests send the
/// authorization response while the hostile connections are open.
///
/// In all tests except `slowConnection`, the receiver waits an hour for an incomplete request. If a hostile connection
/// blocks the receiver, the test therefore exceeds its time limit.
@Suite(.timeLimit(.minutes(3)))
struct HostileTrafficTests {
  /// What a hostile client sends, and the status of the HTTP response, or `nil` if there is no HTTP response. In the
  /// bytes, `HOST` stands for the redirect URI's host and port, `PORT` for its port, and `PATH` for its path.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let status: String?

    init(_ name: String, _ text: String, _ status: String?) {
      self.init(name, bytes: Array(text.utf8), status)
    }

    init(_ name: String, bytes: [UInt8], _ status: String?) {
      (self.testDescription, self.bytes, self.status) = (name, bytes, status)
    }

    /// Returns a row for a GET request.
    /// - Parameter fields: More header fields after `Host`, each with a line break at its end.
    static func get(_ name: String, _ target: String, host: String = "HOST", fields: String = "", _ status: String) -> Row {
      Row(name, "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n", status)
    }
  }

  static let rows: [Row] = [
    Row("a silent connection", "", nil),
    Row("half a request line", "GE", nil),
    Row("a head without its end", "GET PATH?state=good HTTP/1.1\r\nHost: HOST\r\n", nil),
    Row("a TLS client", bytes: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00], "400"),
    Row("garbage", bytes: Array(0...255), "400"),
    Row("NUL in the head", bytes: Array("GET PATH?state=good\0 HTTP/1.1\r\nHost: HOST\r\n\r\n".utf8), "400"),
    Row("HTTP/0.9", "GET PATH?state=good\r\n\r\n", "400"),
    Row("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"),
    Row("bare line feeds", "GET PATH?state=good HTTP/1.1\nHost: HOST\n\n\r\n\r\n", "400"),
    Row("a folded field", "GET PATH?state=good HTTP/1.1\r\nHost: HOST\r\n folded\r\n\r\n", "400"),
    Row("a space before the colon", "GET PATH?state=good HTTP/1.1\r\nHost : HOST\r\n\r\n", "400"),
    Row("absolute form", "GET http://HOSTPATH?state=good HTTP/1.1\r\nHost: HOST\r\n\r\n", "400"),
    Row("a space in the target", "GET PATH?state=good x HTTP/1.1\r\nHost: HOST\r\n\r\n", "400"),
    Row(
      "a target of 20 KiB", "GET PATH?state=good&x=\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: HOST\r\n\r\n", "431"
    ),
    Row("an endless line", "GET /\(String(repeating: "a", count: 70_000))", "431"),
    Row("HEAD", "HEAD PATH?state=good HTTP/1.1\r\nHost: HOST\r\n\r\n", "405"),
    Row("a preflight", "OPTIONS PATH?state=good HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\n\r\n", "405"),
    Row("POST", "POST PATH?state=good HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\nok", "405"),
    Row("a lowercase method", "get PATH?state=good HTTP/1.1\r\nHost: HOST\r\n\r\n", "400"),
    .get("GET with a body", "PATH?state=good", fields: "Content-Length: 2\r\n", "400"),
    .get("GET with a chunked body", "PATH?state=good", fields: "Transfer-Encoding: chunked\r\n", "400"),
    .get("a favicon", "/favicon.ico", "404"),
    .get("the root", "/?state=good", "404"),
    .get("no query", "PATH", "404"),
    .get("an additional slash", "PATH/?state=good", "404"),
    .get("two slashes", "/PATH?state=good", "404"),
    .get("a dot segment", "/x/..PATH?state=good", "404"),
    .get("an encoded letter", "/%6Fauth2redirect/issuer.example?state=good", "404"),
    .get("uppercase letters", "/OAUTH2REDIRECT/issuer.example?state=good", "404"),
    .get("another issuer's path", "/oauth2redirect/other.example?state=good", "404"),
    .get("no state", "PATH?code=1", "404"),
    .get("another state", "PATH?code=1&state=bad", "404"),
    .get("an error without a state", "PATH?error=access_denied", "404"),
    .get("an error with another state", "PATH?error=access_denied&state=bad", "404"),
    .get("the host of a DNS rebinding attack", "PATH?state=good", host: "evil.example:PORT", "421"),
    .get("localhost as the host", "PATH?state=good", host: "localhost:PORT", "421"),
    .get("the IPv6 address as the host", "PATH?state=good", host: "[::1]:PORT", "421"),
    .get("a host without a port", "PATH?state=good", host: "127.0.0.1", "421"),
    .get("a host with another port", "PATH?state=good", host: "127.0.0.1:1", "421"),
    .get("two hosts", "PATH?state=good", fields: "Host: evil.example\r\n", "400"),
    Row("no host", "GET PATH?state=good HTTP/1.1\r\n\r\n", "421"),
  ]

  @Test(
    "C-16, C-18: a hostile request gets an HTTP error or no HTTP response, and the authorization response is still accepted",
    arguments: rows)
  func hostile(_ row: Row) async throws {
    try await self.receive { bound in
      let hostile = try #require(TestSocket(port: bound.port))
      hostile.send(Self.fill(row.bytes, bound))
      try await self.response(bound) { accepted in
        #expect(accepted == bound.response)
      }
      if let status = row.status {
        let text = await DedicatedThread.result("test") { () throws(Never) in hostile.readAll() }.get()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.contains("Connection: close\r\n"))
        // The response does not repeat the state.
        #expect(!text.contains("good"))
      }
    }
  }

  @Test("hundreds of silent connections do not prevent the authorization response from arriving")
  func manyConnections() async throws {
    try await self.receive { bound in
      async let received = bound.response(where: TestBrowser.accepts)
      let sockets = await DedicatedThread.result("test") { () throws(Never) in
        (0..<300).compactMap { _ in TestSocket(port: bound.port) }
      }.get()
      async let page = TestBrowser.get(bound.response)
      #expect(try await received.callbackURL.reveal() == bound.response)
      await (try received).finish(.signedIn(appName: nil))
      #expect(await page.hasPrefix("HTTP/1.1 200"))
      #expect(sockets.count == 300)
    }
  }

  @Test("a request line of one megabyte does not prevent the authorization response from arriving")
  func megabyte() async throws {
    try await self.receive { bound in
      let hostile = try #require(TestSocket(port: bound.port))
      let line = "GET \(bound.redirectURI.components.path)?state=good&x=" + String(repeating: "a", count: 1 << 20)
      // The line is longer than the socket buffers, so writing blocks until the receiver reads.
      async let sent = DedicatedThread.result("test") { () throws(Never) in hostile.sendAll(Array(line.utf8)) }.get()
      async let received = bound.response(where: TestBrowser.accepts)
      async let page = TestBrowser.get(bound.response)
      #expect(try await received.callbackURL.reveal() == bound.response)
      await (try received).finish(.signedIn(appName: nil))
      #expect(await page.hasPrefix("HTTP/1.1 200"))
      _ = await sent
    }
  }

  @Test("C-16: during a flood of requests, the authorization response waits for at most 256 of them")
  func flood() async throws {
    try await self.receive { bound in
      let rejected = Counter()
      let enough = Gate()
      let request = TestBrowser.request("\(bound.redirectURI)?code=evil&state=guess")
      let port = bound.port
      async let received = bound.response(where: TestBrowser.accepts)
      async let flood: Void = withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await DedicatedThread.result("flood") { () throws(Never) in
              // The loop ends when the port is closed.
              while let socket = TestSocket(port: port) {
                socket.send(request)
                guard socket.readMessage().hasPrefix("HTTP/1.1 404 ") else { return }
                if rejected.increment() == 10_000 { enough.open() }
              }
            }.get()
          }
        }
      }
      await enough.wait()
      async let page = DedicatedThread.result("test") { () throws(Never) -> (before: Int, page: String) in
        guard let socket = TestSocket(port: port) else { return (0, "no connection") }
        socket.send(TestBrowser.request(bound.response))
        return (rejected.value, socket.readMessage())
      }.get()
      let response = try await received
      #expect(response.callbackURL.reveal() == bound.response)
      await flood
      await response.finish(.signedIn(appName: nil))
      let (before, text) = await page
      #expect(text.hasPrefix("HTTP/1.1 200"))
      // The receiver has two listeners, for IPv4 and IPv6. In the queue of each listener, at most 64 connections wait.
      // In each iteration of its loop, the receiver accepts at most 64 connections from each listener. At most
      // 2 × (64 + 64) requests are therefore handled before the authorization response.
      #expect(rejected.value - before <= 256)
    }
  }

  @Test("C-16: clients that disconnect, with or without a reset, do not end the wait", arguments: [false, true])
  func vanishing(byReset: Bool) async throws {
    try await self.receive { bound in
      for text in ["", "GET /", TestBrowser.request("\(bound.redirectURI)?state=bad")] {
        let socket = try #require(TestSocket(port: bound.port))
        socket.send(text)
        if byReset { socket.reset() }
      }
      try await self.response(bound) { #expect($0 == bound.response) }
    }
  }

  @Test("an authorization response that arrives byte by byte is accepted")
  func slowResponse() async throws {
    try await self.receive { bound in
      let socket = try #require(TestSocket(port: bound.port))
      var isOn: Int32 = 1
      setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      async let page = DedicatedThread.result("test") { () throws(Never) in
        for byte in TestBrowser.request(bound.response).utf8 { socket.send([byte]) }
        return socket.readMessage()
      }.get()
      let received = try await bound.response(where: TestBrowser.accepts)
      await received.finish(.signedIn(appName: nil))
      #expect(await page.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("C-16: after a rejected request, the authorization response is accepted only on a new connection")
  func pipelined() async throws {
    try await self.receive { bound in
      let socket = try #require(TestSocket(port: bound.port))
      socket.send(
        TestBrowser.request("\(bound.redirectURI)?state=bad&first=1") + TestBrowser.request(bound.response + "&second=1"))
      try await self.response(bound) { #expect($0 == bound.response) }
    }
  }

  @Test("a connection without a complete request is closed after its deadline, even if nothing else happens")
  func slowConnection() async throws {
    var limits = ReceiverLimits.longTimeouts
    limits.connectionTime = .milliseconds(20)
    try await LoopbackReceiver(redirectURI: nil, limits: limits).withRedirect(
      for: ServerConfiguration(issuer: Issuer("https://issuer.example"))
    ) {
      bound in
      let socket = try #require(TestSocket(port: bound.port))
      async let received = bound.response(where: TestBrowser.accepts)
      let text = await DedicatedThread.result("test") { () throws(Never) in socket.readAll() }.get()
      #expect(text.isEmpty)
      async let page = TestBrowser.get(bound.response)
      await (try received).finish(.failed)
      _ = await page
    }
  }

  /// Runs `body` while a receiver listens.
  private func receive(_ body: @Sendable (BoundRedirect) async throws -> Void) async throws {
    let receiver = LoopbackReceiver(redirectURI: nil, limits: .longTimeouts)
    try await receiver.withRedirect(for: ServerConfiguration(issuer: Issuer("https://issuer.example")), body)
  }

  /// Sends the authorization response on a new connection, passes the callback URL that the receiver accepted to
  /// `check`, and expects the last page.
  private func response(_ bound: BoundRedirect, _ check: (String) -> Void) async throws {
    async let page = TestBrowser.get(bound.response)
    let received = try await bound.response(where: TestBrowser.accepts)
    check(received.callbackURL.reveal())
    await received.finish(.signedIn(appName: nil))
    #expect(await page.hasPrefix("HTTP/1.1 200"))
  }

  /// Replaces `HOST`, `PORT`, and `PATH` (``Row``).
  private static func fill(_ bytes: [UInt8], _ bound: BoundRedirect) -> [UInt8] {
    let parts = bound.redirectURI.components
    var result = bytes
    for (name, value) in [("HOST", parts.authority ?? ""), ("PORT", "\(bound.port)"), ("PATH", parts.path)] {
      result = self.replace(Array(name.utf8), with: Array(value.utf8), in: result)
    }
    return result
  }

  private static func replace(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      if rest.starts(with: old) {
        result += new
        rest = rest.dropFirst(old.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}
