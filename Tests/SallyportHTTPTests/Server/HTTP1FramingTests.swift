import Testing

@Suite("HTTP/1: host and framing of requests")
struct HTTP1FramingTests {
  /// A description, a request, and the expected status.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let request: String
    let status: Int

    init(_ name: String, _ lines: [String], _ status: Int) {
      (self.name, self.request, self.status) = (name, (lines + ["", ""]).joined(separator: "\r\n"), status)
    }

    var testDescription: String { self.name }
  }

  private static let get = "GET /jwks.json HTTP/1.1"
  private static let post = "POST /token HTTP/1.1"

  static let cases = [
    Case("no host", [get], 400),
    Case("no host, but other fields", [get, "Hosts: localhost", "X-Host: localhost"], 400),
    Case("two hosts", [get, "Host: localhost", "Host: evil.example"], 400),
    Case("the same host twice", [get, "Host: localhost", "Accept: */*", "hOST: localhost"], 400),
    Case("a host with a space", [get, "Host: localhost evil.example"], 400),
    Case("a list of hosts", [get, "Host: localhost, evil.example"], 400),
    Case("a host with a path", [get, "Host: localhost/evil"], 400),
    Case("a host with a user", [get, "Host: user@localhost"], 400),
    Case("an absolute URL and no host", ["GET http://localhost/jwks.json HTTP/1.1"], 400),
    Case("two hosts in HTTP/1.0", ["GET /jwks.json HTTP/1.0", "Host: localhost", "Host: localhost"], 400),
    Case("no host in HTTP/1.0", ["GET /jwks.json HTTP/1.0"], 200),
    Case("a Host field in mixed case, with a port", [get, "hOST: [::1]:8080"], 200),
    Case("an empty host", [get, "Host:"], 200),
    Case("an absolute URL", ["GET http://localhost/jwks.json HTTP/1.1", "Host: localhost"], 200),
    Case("two lengths", [post, "Host: localhost", "Content-Length: 1", "Content-Length: 2"], 400),
    Case("a length with a sign", [post, "Host: localhost", "Content-Length: +1"], 400),
    Case("a length that no integer type can hold", [post, "Host: localhost", "Content-Length: 99999999999999999999"], 400),
    Case("a length and chunks", [post, "Host: localhost", "Content-Length: 1", "Transfer-Encoding: chunked"], 400),
    Case("chunks that are not the last coding", [post, "Host: localhost", "Transfer-Encoding: chunked, identity"], 400),
    Case("a space before the colon", [get, "Host : localhost"], 400),
    Case("a folded line", [get, "Host: localhost", "X: a", " b"], 400),
  ]

  @Test(
    "RFC 9112: a request with an invalid host, length, or field gets 400, and its connection ends; a valid one gets 200",
    arguments: cases)
  func framing(_ row: Case) async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        connection.send(row.request)
        let response = row.status == 400 ? try #require(await connection.readToEnd()) : await connection.response()
        #expect(response.hasPrefix("HTTP/1.1 \(row.status) "), "\(response)")
        if row.status == 400 {
          #expect(response.lowercased().contains("connection: close\r\n") && response.hasSuffix("\r\n\r\n"))
        }
      }
    }
  }

  @Test("RFC 9112: the server responds to the requests before an invalid one, but to none after it")
  func pipelined() async throws {
    try await withSite { site in
      try await site.serving { port, _ in
        let connection = try RawConnection(port: port)
        let valid = "GET /jwks.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.send(valid + valid + "GET /jwks.json HTTP/1.1\r\n\r\n" + valid)
        let responses = try #require(await connection.readToEnd())
        #expect(responses.matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) } == ["200", "200", "400"])
      }
    }
  }
}
