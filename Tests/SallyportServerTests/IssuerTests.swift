import SallyportProtocol
import SallyportServer
import Testing

@Suite("Issuers")
struct IssuerTests {
  @Test(
    "S-33: an issuer uses https, or http on loopback",
    arguments: [
      "https://id.example", "https://id.example/tenant", "https://id.example:8443", "http://localhost:8080",
      "http://127.0.0.1:8080",
      "http://[::1]:8080",
    ])
  func accepted(text: String) throws {
    #expect(ServerConfiguration(issuer: try Issuer(text)).metadata().issuer == text)
  }

  @Test(
    "S-33: an issuer cannot use another scheme, use http on another host, or have a query, a fragment, or a user",
    arguments: [
      "http://id.example", "http://10.0.0.1", "http://localhost.evil.example", "http://127.0.0.1.evil.example",
      "http://127.0.0.2",
      "https://id.example?x", "https://id.example#x", "https://user@id.example", "ftp://id.example", "id.example", "", "https://",
      "javascript:alert(1)", "file:///x", "-https://id.example", "https://id.example\n", "http://0.0.0.0:8080",
    ])
  func rejected(text: String) {
    #expect(throws: EndpointURLError.self) { try Issuer(text) }
  }
}
