import Testing

@testable import SallyportHTTPServer

@Suite("HTTP/1: persistent connections")
struct HTTP1PersistenceTests {
  @Test(
    "RFC 9112: a connection ends after the response if the request says so, or uses HTTP/1.0 and does not ask for keep-alive",
    arguments: [
      ("1.1", nil, nil), ("1.1", "keep-alive", nil), ("1.1", "close", "close"), ("1.1", "CLOSE", "close"),
      ("1.1", "TE, close", "close"),
      ("1.0", nil, "close"), ("1.0", "close", "close"), ("1.0", "TE", "close"), ("1.0", "Keep-Alive", "keep-alive"),
    ])
  func persistence(version: String, requested: String?, expected: String?) async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        let request =
          "GET /jwks.json HTTP/\(version)\r\nHost: localhost\r\n\(requested.map { "Connection: \($0)\r\n" } ?? "")\r\n"
        connection.send(request)
        let response = expected == "close" ? try #require(await connection.readToEnd()) : await connection.response()
        #expect(response.hasPrefix("HTTP/1.1 200 "))
        let field = response.lowercased().split(separator: "\r\n").first { $0.hasPrefix("connection: ") }
        #expect(field.map { String($0.dropFirst("connection: ".count)) } == expected)
        guard expected != "close" else { return }
        connection.send(request)
        #expect(await connection.response().hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  @Test("RFC 9112: input after a request with 'Connection: close' is ignored")
  func afterTheLast() async throws {
    try await withSite { site in
      try await site.serving { port, connections in
        let connection = try RawConnection(port: port)
        let last = "GET /jwks.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" + last + last)
        let responses = try #require(await connection.readToEnd())
        #expect(responses.matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) } == ["404", "200"])
        #expect(responses.lowercased().matches(of: /connection: close/).count == 1)
        connection.close()
        // The server must also close the connection.
        while connections.count > 0 { try await Task.sleep(for: .milliseconds(2)) }
      }
    }
  }
}
