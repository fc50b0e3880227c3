import HTTPTypes
import Hummingbird
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import SocketTestSupport
import TestSupport
import Testing

struct TransportTLSTests {
  /// Whether a request to the server fails because the certificate is untrusted. Any other error fails the test.
  private static func isUntrusted(_ transport: AsyncHTTPClientTransport, port: Int, host: String = "localhost") async throws
    -> Bool
  {
    let request = try HTTPRequest.get("/", port: port, scheme: "https", host: host)
    do {
      _ = try await transport.send(request, body: [], limits: TransferLimits())
      return false
    } catch .untrusted {
      return true
    } catch {
      Issue.record(error)
      return false
    }
  }

  @Test("C-23: a certificate of a private authority is trusted only if its root certificate is configured")
  func privateAuthority() async throws {
    let (certificates, others) = (try TestCertificates(), try TestCertificates())
    try await withServer(tls: certificates.server) {
      $0.get("/") { _, _ in "secret" }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport {
        let isUntrusted = try await Self.isUntrusted($0, port: port)
        #expect(isUntrusted)
      }
      try await others.withTrustRoots { file in
        try await AsyncHTTPClientTransport.withTransport(trustRoots: [file]) {
          let isUntrusted = try await Self.isUntrusted($0, port: port)
          #expect(isUntrusted)
        }
      }
      try await certificates.withTrustRoots { file in
        try await AsyncHTTPClientTransport.withTransport(trustRoots: [file]) {
          let isUntrusted = try await Self.isUntrusted($0, port: port)
          #expect(!isUntrusted)
          let isOtherNameUntrusted = try await Self.isUntrusted($0, port: port, host: "127.0.0.1")
          #expect(isOtherNameUntrusted)
        }
      }
    }
  }

  @Test("C-23: an expired certificate and a certificate of another host are rejected")
  func badCertificates() async throws {
    for certificates in [try TestCertificates(validFor: -3600 ... -1800), try TestCertificates(host: "id.example")] {
      try await withServer(tls: certificates.server) {
        $0.get("/") { _, _ in "secret" }
      } _: { port in
        try await certificates.withTrustRoots { file in
          try await AsyncHTTPClientTransport.withTransport(trustRoots: [file]) {
            let isUntrusted = try await Self.isUntrusted($0, port: port)
            #expect(isUntrusted)
          }
        }
      }
    }
  }

  @Test("the error says in plain words why a certificate is not trusted")
  func reasons() async throws {
    let expiredOrUntrusted = "it has expired, or its issuer is not trusted"
    for (certificates, host, reason) in [
      (try TestCertificates(validFor: -3600 ... -1800), "localhost", expiredOrUntrusted),
      (try TestCertificates(host: "id.example"), "localhost", "it is for another host"),
      (try TestCertificates(), "127.0.0.1", "it is for another host"),
    ] {
      try await withServer(tls: certificates.server) {
        $0.get("/") { _, _ in "secret" }
      } _: { port in
        try await certificates.withTrustRoots { file in
          try await Self.expect(.untrusted(reason: reason), from: port, host: host, trustRoots: [file])
        }
        try await Self.expect(.untrusted(reason: expiredOrUntrusted), from: port, host: host, trustRoots: nil)
      }
    }
  }

  @Test("a server that does not use TLS cannot be reached with https, and the error does not mention a certificate")
  func plainServer() async throws {
    try await withServer {
      $0.get("/") { _, _ in "secret" }
    } _: { port in
      let error = TransportError.unreachable(reason: "the TLS handshake failed: wrong version number")
      try await Self.expect(error, from: port, host: "localhost", trustRoots: nil)
    }
  }

  private static func expect(_ error: TransportError, from port: Int, host: String, trustRoots: [String]?) async throws {
    let request = try HTTPRequest.get("/", port: port, scheme: "https", host: host)
    await AsyncHTTPClientTransport.withTransport(trustRoots: trustRoots) { transport in
      let thrown = await #expect(throws: TransportError.self) {
        try await transport.send(request, body: [], limits: TransferLimits())
      }
      #expect(thrown == error)
    }
  }

  @Test("C-23: if the trust roots cannot be read, requests fail and do not use the system's trust roots")
  func unreadableRoots() async throws {
    try await AsyncHTTPClientTransport.withTransport(trustRoots: ["/nonexistent/roots.pem"]) {
      // No server is needed, because the trust roots are read before the transport connects.
      let isUntrusted = try await Self.isUntrusted($0, port: 9)
      #expect(isUntrusted)
    }
  }
}
