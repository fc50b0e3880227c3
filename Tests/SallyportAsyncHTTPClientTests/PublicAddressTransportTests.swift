import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportRemote
import Testing

@Suite("Transport for URLs from untrusted parties", .timeLimit(.minutes(1)))
struct PublicAddressTransportTests {
  @Test(
    "a URL is rejected if its host is this machine or in a private network, by address or by name, or if it is not https",
    arguments: [
      ("https", "127.0.0.1", Self.notPublic), ("https", "localhost", Self.notPublic), ("https", "[::1]", Self.notPublic),
      ("https", "10.0.0.1:8443", Self.notPublic), ("https", "169.254.169.254", Self.notPublic),
      ("https", "[fd00::1]", Self.notPublic), ("https", "[::ffff:7f00:1]", Self.notPublic),
      // The URL Standard reads these three hosts as 127.0.0.1, so the transport does not resolve them as names.
      ("https", "2130706433", Self.notAddress), ("https", "0x7f.1", Self.notAddress), ("https", "127.1", Self.notAddress),
      ("http", "example.com", Self.notHTTPS), ("http", "127.0.0.1", Self.notHTTPS), ("https", "a@example.com", Self.notHTTPS),
      ("https", "", Self.notHTTPS),
    ])
  func refused(scheme: String, authority: String, reason: String) async throws {
    let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/", headerFields: [:])
    await #expect(throws: TransportError.unreachable(reason: reason)) {
      try await PublicAddressTransport().send(request, body: [], limits: .document)
    }
  }

  private static let notPublic = "the host's address is not public"
  private static let notAddress = "the host name has no address"
  private static let notHTTPS = "the URL is not an https URL"
}
