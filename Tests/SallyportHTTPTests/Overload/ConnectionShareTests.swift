import HTTPTestSupport
import NIOCore
import SallyportServer
import Testing

@testable import SallyportHTTPServer

@Suite("Connection limits per address", .timeLimit(.minutes(3)))
struct ConnectionShareTests {
  /// Sends the header of a request with a body of 60,000 bytes, and only the first part of that body.
  private static func slowPost(_ connection: RawConnection, body: String = "g") {
    connection.send("POST /token HTTP/1.1\r\nHost: localhost\r\n")
    connection.send("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\n\(body)")
  }

  @Test(
    "S-42: slow bodies from one address do not keep other addresses out, even if that address opens more connections than the limit"
  )
  func slowBodies() async throws {
    try await withSite { site in
      let refreshToken = try await site.refreshTokenOfSession()
      try await site.serving(maximum: 64) { port, connections in
        // With 64 connections in total, an address gets eight, the smallest default share.
        let flood = try (0..<72).map { _ in try RawConnection(port: port, from: 2) }
        for connection in flood { Self.slowPost(connection) }
        while connections.count < 8 { try await Task.sleep(for: .milliseconds(2)) }
        // When the last connection ends, the server has seen all of them. Beyond the eight, the server accepts up to
        // two connections at a time to respond with 503, and closes the rest without a response. Either can happen to
        // the last connection.
        let last = await flood[71].readToEnd()
        #expect(last?.isEmpty == true || last?.hasPrefix("HTTP/1.1 503") == true)
        #expect((8...10).contains(connections.count))
        let app = try RawConnection(port: port, from: 3)
        app.post("/token", "grant_type=refresh_token&client_id=loopback&refresh_token=\(refreshToken)")
        #expect(await app.response().hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test("S-42: an address with too many connections gets 503 on one more, and is served again after connections have ended")
  func limit() async throws {
    try await withSite { site in
      try await site.serving(perAddress: 3) { port, connections in
        var open: [RawConnection] = []
        for _ in 0..<3 {
          open.append(try RawConnection(port: port))
          open[open.count - 1].get("/jwks.json")
          #expect(await open[open.count - 1].response().hasPrefix("HTTP/1.1 200"))
        }
        let excess = try RawConnection(port: port)
        excess.get("/jwks.json")
        #expect(await excess.readToEnd()?.hasPrefix("HTTP/1.1 503") == true)
        let other = try RawConnection(port: port, from: 2)
        other.get("/jwks.json")
        #expect(await other.response().hasPrefix("HTTP/1.1 200"))
        open = []
        while connections.count > 1 { try await Task.sleep(for: .milliseconds(2)) }
        let later = try RawConnection(port: port)
        later.get("/jwks.json")
        #expect(await later.response().hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test("the connections of a trusted proxy are not counted by address")
  func proxies() async throws {
    let proxy = try #require(AddressRange("127.0.0.2"))
    try await withSite { site in
      try await site.serving(perAddress: 1, proxies: [proxy]) { port, _ in
        let all = try (0..<9).map { _ in try RawConnection(port: port, from: 2) }
        for connection in all {
          connection.get("/jwks.json")
          #expect(await connection.response().hasPrefix("HTTP/1.1 200"))
        }
      }
    }
  }

  @Test("a connection whose body arrives too slowly is closed after the grace period, and other connections are not")
  func pace() async throws {
    try await withSite { site in
      try await site.serving(bodyRate: 100) { port, connections in
        let (slow, fast, idle) = (try RawConnection(port: port), try RawConnection(port: port), try RawConnection(port: port))
        idle.get("/jwks.json")
        #expect(await idle.response().hasPrefix("HTTP/1.1 200"))
        Self.slowPost(slow)
        Self.slowPost(fast, body: String(repeating: "g", count: 50_000))
        while connections.awaitedBodies.sorted() != [1, 50_000] { try await Task.sleep(for: .milliseconds(2)) }
        connections.sweep(at: .now() + .seconds(90))
        #expect(connections.awaitedBodies.count == 2)
        // After 300 seconds, whose first 100 are a grace period, at least 20,000 bytes must have arrived.
        connections.sweep(at: .now() + .seconds(300))
        #expect(await slow.readToEnd()?.contains("HTTP/1.1 200") == false)
        fast.send(String(repeating: "g", count: 10_000))
        #expect(await fast.response().hasPrefix("HTTP/1.1 400"))
        idle.get("/jwks.json")
        #expect(await idle.response().hasPrefix("HTTP/1.1 200"))
      }
    }
  }
}
