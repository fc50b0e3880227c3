import HTTPTypes
import Hummingbird
import SallyportProtocol
import SallyportRemote
import SocketTestSupport
import Testing

@testable import SallyportAsyncHTTPClient

@Suite(.timeLimit(.minutes(2)))
struct ProxyTests {
  @Test("C-23: with HTTPS_PROXY, a request goes through the proxy, which sees only the host and port, and TLS ends at the server")
  func throughProxy() async throws {
    let certificates = try TestCertificates(host: "id.example")
    try await withServer(tls: certificates.server) {
      $0.get("/keys") { _, _ in "keys" }
    } _: { port in
      try await ConnectProxy.run(to: port) { proxy, proxyPort in
        let settings = ProxySettings { ["https_proxy": "http://user:p%40ss@127.0.0.1:\(proxyPort)"][$0] }
        try await certificates.withTrustRoots { file in
          try await AsyncHTTPClientTransport.withTransport(trustRoots: [file], proxies: settings) { transport in
            let request = try HTTPRequest.get("/keys", port: 8443, scheme: "https", host: "id.example")
            let response = try await transport.send(request, body: [], limits: TransferLimits())
            #expect(String(decoding: response.body, as: UTF8.self) == "keys")
          }
          // Without the trusted root, the transport rejects the server's certificate, although a proxy is used.
          try await AsyncHTTPClientTransport.withTransport(proxies: settings) { transport in
            let request = try HTTPRequest.get("/keys", port: 8443, scheme: "https", host: "id.example")
            await #expect { try await transport.send(request, body: [], limits: TransferLimits()) } throws: { error in
              if case TransportError.untrusted = error { true } else { false }
            }
          }
        }
        let head = try #require(proxy.requestHeads.first).lowercased()
        #expect(head.hasPrefix("connect id.example:8443 http/1.1\r\n"))
        // "user:p@ss" in Base64, in lowercase.
        #expect(head.contains("proxy-authorization: basic dxnlcjpwqhnz\r\n") && !head.contains("keys"))
      }
    }
  }

  @Test("a closed transport opens no connection to a proxy that it has not used before")
  func closed() async throws {
    try await ConnectProxy.run(to: 9) { proxy, proxyPort in
      let transport = AsyncHTTPClientTransport(proxies: ProxySettings { ["https_proxy": "http://127.0.0.1:\(proxyPort)"][$0] })
      await transport.shutdown()
      let request = try HTTPRequest.get("/keys", port: 8443, scheme: "https", host: "id.example")
      await #expect(throws: TransportError.cancelled) { try await transport.send(request, body: [], limits: TransferLimits()) }
      #expect(proxy.requestHeads.isEmpty)
    }
  }

  @Test("requests to this machine and to a host in NO_PROXY bypass the proxy")
  func direct() async throws {
    let certificates = try TestCertificates()
    try await withServer(tls: certificates.server) {
      $0.get("/") { _, _ in "here" }
    } _: { port in
      try await ConnectProxy.run(to: port) { proxy, proxyPort in
        let settings = ProxySettings(https: "http://127.0.0.1:\(proxyPort)", exceptions: ["invalid"])
        try await certificates.withTrustRoots { file in
          try await AsyncHTTPClientTransport.withTransport(trustRoots: [file], proxies: settings) { transport in
            let request = try HTTPRequest.get("/", port: port, scheme: "https")
            let response = try await transport.send(request, body: [], limits: TransferLimits())
            #expect(String(decoding: response.body, as: UTF8.self) == "here")
            // The entry `invalid` of NO_PROXY includes this host. The host does not exist, so a request that bypasses
            // the proxy fails.
            let excepted = try HTTPRequest.get("/", port: port, scheme: "https", host: "id.invalid")
            await #expect(throws: TransportError.self) {
              try await transport.send(excepted, body: [], limits: TransferLimits(timeout: .seconds(5)))
            }
          }
        }
        #expect(proxy.requestHeads.isEmpty)
      }
    }
  }

  @Test(
    "the scheme and host of a URL and NO_PROXY determine whether a proxy is used",
    arguments: [
      ("https", "id.example", "", true), ("https", "id.example:8443", "", true), ("http", "id.example", "", false),
      ("https", "localhost:1", "", false), ("https", "a.localhost", "", false), ("https", "127.9.9.9", "", false),
      ("https", "[::1]:8443", "", false), ("https", "10.0.0.1", "", true),
      ("https", "id.example", "*", false), ("https", "id.example", "other.example,example", false),
      ("https", "id.example", ".example", false), ("https", "id.example", "*.example", false),
      ("https", "id.example", "d.example", true), ("https", "ID.Example", "id.example", false),
      ("https", "id.example:8443", "id.example:8443", false), ("https", "id.example", "id.example:8443", true),
      ("https", "id.example", "id.example:443", false), ("https", "10.0.0.1", "10.0.0.1", false),
      ("https", "[fd00::1]", "fd00::1", false), ("https", "id.example", ", ,", true),
    ])
  func choice(scheme: String, authority: String, exceptions: String, isProxied: Bool) throws {
    let settings = ProxySettings { ["HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": exceptions][$0] }
    let proxy = try settings.proxy(scheme: scheme, authority: authority)
    #expect(proxy == (isProxied ? Proxy("proxy.example:3128") : nil))
  }

  @Test(
    "an unusable proxy setting causes an error that does not contain the setting's value",
    arguments: [
      "socks5://u:secret@proxy.example", "https://u:secret@proxy.example", "http://u:secret@",
      "http://u:secret@proxy.example/path",
    ])
  func invalid(_ text: String) async throws {
    let transport = AsyncHTTPClientTransport(proxies: ProxySettings(https: text))
    let request = try HTTPRequest.get("/", port: 443, scheme: "https", host: "id.example")
    await #expect(throws: TransportError.unreachable(reason: "the proxy setting HTTPS_PROXY must be http://HOST:PORT")) {
      try await transport.send(request, body: [], limits: TransferLimits())
    }
  }

  /// A CGI program gets the value of a request's `Proxy` field in the variable `HTTP_PROXY`.
  @Test("HTTP_PROXY is ignored in a CGI program, where a client can set it")
  func cgi() {
    let variables = ["HTTP_PROXY": "http://proxy.example", "REQUEST_METHOD": "GET"]
    #expect(ProxySettings { variables[$0] } == .none)
    #expect(ProxySettings { $0 == "REQUEST_METHOD" ? nil : variables[$0] }.http == "http://proxy.example")
  }
}
