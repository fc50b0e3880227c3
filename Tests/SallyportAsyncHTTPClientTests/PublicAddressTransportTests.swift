import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportRemote
import Testing

@Suite("Transport for addresses that strangers name", .timeLimit(.minutes(1)))
struct PublicAddressTransportTests {
  @Test(
    "S-31: no connection is made to this machine, a private network, or off TLS, by address or by name",
    arguments: [
      ("https", "127.0.0.1"), ("https", "localhost"), ("https", "[::1]"),
      ("https", "10.0.0.1:8443"),
      ("https", "169.254.169.254"),
      ("https", "[fd00::1]"), ("https", "[::ffff:7f00:1]"), ("https", "2130706433"), ("https", "0x7f.1"), ("https", "127.1"),
      ("http", "example.com"), ("https", "a@example.com"), ("https", ""),
    ])
  func refused(scheme: String, authority: String) async throws {
    let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/", headerFields: [:])
    let error = await #expect(throws: TransportError.self) {
      try await PublicAddressTransport().send(request, body: [], limits: .document)
    }
    guard case .unreachable(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(["the host's address is not public", "the URL is not an https URL", "the host name has no address"].contains(reason))
  }
}
