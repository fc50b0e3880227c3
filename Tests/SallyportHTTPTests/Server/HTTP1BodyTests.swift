import Testing

@Suite("HTTP/1: request bodies and the Expect field")
struct HTTP1BodyTests {
  /// Returns the head of a POST request.
  /// - Parameter type: The content type; nil for a form.
  private static func head(_ path: String, _ fields: String..., version: String = "1.1", type: String? = nil) -> String {
    let type = type ?? "application/x-www-form-urlencoded"
    return (["POST \(path) HTTP/\(version)", "Host: localhost", "Content-Type: \(type)"] + fields + ["", ""])
      .joined(separator: "\r\n")
  }

  @Test(
    "a request that declares a body beyond the limit gets an error immediately, in the endpoint's format, and the connection ends",
    arguments: [
      ("/token", "application/x-www-form-urlencoded", 413, #"{"error":"invalid_request""#),
      ("/par", "application/x-www-form-urlencoded", 413, #"{"error":"invalid_request""#),
      ("/register", "application/json", 413, #"{"error":"invalid_client_metadata""#),
      ("/authorize", "application/x-www-form-urlencoded", 413, "<title>"),
      ("/jwks.json", "application/json", 405, "<title>"),
      ("/nothing", "text/plain", 404, "<title>"),
    ], ["65537", "100000000000", "18446744073709551615"])
  func tooLarge(_ row: (path: String, type: String, status: Int, body: String), length: String) async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        connection.send(Self.head(row.path, "Content-Length: \(length)", "Expect: 100-continue", type: row.type))
        let response = try #require(await connection.readToEnd())
        #expect(response.hasPrefix("HTTP/1.1 \(row.status) "), "\(response)")
        #expect(response.contains(row.body) && response.lowercased().contains("connection: close\r\n"), "\(response)")
      }
    }
  }

  @Test("a client that sends a body that is too large can still read the response", arguments: ["length", "chunks"])
  func sentAnyway(_ kind: String) async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        let body = String(repeating: "x", count: 1 << 20)
        switch kind {
        case "length": connection.send(Self.head("/token", "Content-Length: \(body.utf8.count)") + body)
        // The size of a chunk is a hexadecimal number.
        default: connection.send(Self.head("/token", "Transfer-Encoding: chunked") + "100000\r\n\(body)\r\n0\r\n\r\n")
        }
        let response = try #require(await connection.readToEnd())
        #expect(response.hasPrefix("HTTP/1.1 413 ") && response.lowercased().contains("connection: close\r\n"), "\(response)")
      }
    }
  }

  @Test("a body of exactly 64 KiB, the limit, is accepted")
  func limit() async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        connection.send(Self.head("/token", "Content-Length: 65536") + String(repeating: "x", count: 65_536))
        #expect(await connection.response().hasPrefix("HTTP/1.1 400 "))
        connection.get("/jwks.json")
        #expect(await connection.response().hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  @Test("RFC 9110: a client that waits for 100 (Continue) receives it", arguments: ["100-continue", "100-Continue"])
  func expectation(_ value: String) async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        for _ in 0..<2 {
          connection.send(Self.head("/token", "Content-Length: 4", "Expect: \(value)"))
          #expect(await connection.response() == "HTTP/1.1 100 Continue\r\n\r\n")
          connection.send("a=b&")
          #expect(await connection.response().hasPrefix("HTTP/1.1 400 "))
        }
      }
    }
  }

  @Test("RFC 9110: an Expect field is ignored in HTTP/1.0, if its value is not 100-continue, or if the request has no body")
  func otherExpectations() async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        for (version, expectation) in [("1.0", "100-continue"), ("1.1", "200-ok")] {
          let connection = try RawConnection(port: port)
          connection.send(Self.head("/token", "Content-Length: 4", "Expect: \(expectation)", version: version) + "a=b&")
          #expect(await connection.response().hasPrefix("HTTP/1.1 400 "))
        }
        let connection = try RawConnection(port: port)
        connection.send("GET /jwks.json HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n")
        #expect(await connection.response().hasPrefix("HTTP/1.1 200 "))
      }
    }
  }
}
