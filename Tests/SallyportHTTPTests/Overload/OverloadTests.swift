import NIOCore
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportHTTPServer

@Suite("Overload", .timeLimit(.minutes(3)))
struct OverloadTests {
  @Test("a connection beyond the limit gets 503 and is closed, while a connection within the limit can still refresh tokens")
  func connections() async throws {
    try await withSite { site in
      let refreshToken = try await site.refreshTokenOfSession()
      try await site.serving(maximum: 2) { port, connections in
        let app = try RawConnection(port: port)
        app.get("/jwks.json")
        #expect(await app.response().hasPrefix("HTTP/1.1 200"))
        let other = try RawConnection(port: port)
        other.get("/jwks.json")
        #expect(await other.response().hasPrefix("HTTP/1.1 200"))
        for _ in 0..<20 {
          let excess = try RawConnection(port: port)
          excess.post("/token", "grant_type=refresh_token&client_id=loopback&refresh_token=\(refreshToken)")
          let response = try #require(await excess.readToEnd())
          #expect(response.hasPrefix("HTTP/1.1 503"))
          #expect(response.lowercased().contains("retry-after: 5\r\n") && response.lowercased().contains("connection: close\r\n"))
          #expect(response.hasSuffix("\r\n\r\n"))
        }
        app.post("/token", "grant_type=refresh_token&client_id=loopback&refresh_token=\(refreshToken)")
        #expect(await app.response().hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test("silent and idle connections are closed early only while more than seven eighths of the allowed connections are open")
  func nearlyFull() async throws {
    try await withSite { site in
      try await site.serving(maximum: 2) { port, connections in
        let (first, second) = (try RawConnection(port: port), try RawConnection(port: port))
        for connection in [first, second] {
          connection.get("/jwks.json")
          #expect(await connection.response().hasPrefix("HTTP/1.1 200"))
        }
        // A connection may be idle for four hours, but only for one hour while more than seven eighths of the allowed
        // connections are open. For a limit of two, an eighth is rounded down to zero, so the shorter time applies
        // only with three open connections. The third one exceeds the limit, but stays open until it gets 503 in
        // response to a request, or until it has been open for one hour.
        connections.sweep(at: .now() + .seconds(3_700))
        first.get("/jwks.json")
        #expect(await first.response().hasPrefix("HTTP/1.1 200"))
        let silent = try RawConnection(port: port)
        while connections.count < 3 { try await Task.sleep(for: .milliseconds(2)) }
        connections.sweep(at: .now() + .seconds(3_500))
        first.get("/jwks.json")
        #expect(await first.response().hasPrefix("HTTP/1.1 200"))
        // The client may receive the response before the server has recorded the end of the request. Until then, the
        // connection is not idle, and the sweep closes only the other two. For the remaining connection, the limit is
        // then four hours again.
        while connections.count > 0 {
          connections.sweep(at: .now() + .seconds(connections.count == 3 ? 3_700 : 15_000))
          try await Task.sleep(for: .milliseconds(2))
        }
        for connection in [silent, first, second] { #expect(await connection.readToEnd() == "") }
        let later = try RawConnection(port: port)
        later.get("/jwks.json")
        #expect(await later.response().hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test("a body that arrives byte by byte has one time limit for the whole body")
  func slowBody() async throws {
    try await withSite { site in
      try await site.serving { port, connections in
        let slow = try RawConnection(port: port)
        slow.send("POST /token HTTP/1.1\r\nHost: localhost\r\n")
        slow.send("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\ng")
        while connections.count < 1 { try await Task.sleep(for: .milliseconds(2)) }
        let end = Task { await slow.readToEnd() }
        while connections.count > 0 {
          slow.send("x")
          // The time limit of a request is two hours; see `serving`.
          connections.sweep(at: .now() + .seconds(2 * 3_600))
          try await Task.sleep(for: .milliseconds(2))
        }
        #expect(await end.value?.contains("HTTP/1.1 200") == false)
      }
    }
  }

  @Test("a silent connection, and one with an incomplete header, have the time limit of an idle connection")
  func slowHeader() async throws {
    try await withSite { site in
      try await site.serving { port, connections in
        for text in ["", "GET /jwks.json HTTP/1.1\r\nHost: local"] {
          let slow = try RawConnection(port: port)
          slow.send(text)
          while connections.count < 1 { try await Task.sleep(for: .milliseconds(2)) }
          connections.sweep(at: .now() + .seconds(3 * 3_600))
          #expect(connections.count == 1)
          connections.sweep(at: .now() + .seconds(4 * 3_600))
          #expect(await slow.readToEnd() == "")
          // The client may notice the end before the server has recorded it.
          while connections.count > 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
      }
    }
  }

  @Test("a header that is too large gets a 4xx response or no response", arguments: ["long field", "many fields", "long URL"])
  func largeHeader(_ kind: String) async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        switch kind {
        case "long field": connection.send("GET /jwks.json HTTP/1.1\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n")
        case "many fields": connection.send("GET /jwks.json HTTP/1.1\r\n\(String(repeating: "X: x\r\n", count: 200))\r\n")
        default: connection.send("GET /jwks.json?\(String(repeating: "x", count: 1 << 20)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        let response = await connection.response()
        #expect(response.hasPrefix("HTTP/1.1 4") || response.isEmpty)
      }
    }
  }
}
