import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import SocketTestSupport
import Testing

extension EndToEndTests {
  /// Tests that the server reloads its settings after SIGHUP.
  @Suite struct ReloadTests {
    private func write(_ certificates: TestCertificates, to folder: String) throws {
      try certificates.serverPEM.certificate.write(toFile: "\(folder)/chain.pem", atomically: true, encoding: .utf8)
      try certificates.serverPEM.key.write(toFile: "\(folder)/key.pem", atomically: true, encoding: .utf8)
    }

    /// Whether a client that trusts only this certificate authority accepts the server's certificate on a new
    /// connection.
    private func isTrusted(_ issuer: String, by authority: TestCertificates) async throws -> Bool {
      try await authority.withTrustRoots { roots in
        try await AsyncHTTPClientTransport.withTransport(trustRoots: [roots]) { transport in
          let url = try EndpointURL("\(issuer)/.well-known/openid-configuration")
          do throws(TransportError) {
            return try await transport.send(.get(url), body: [], limits: .document).head.status == .ok
          } catch {
            guard case .untrusted = error else { throw error }
            return false
          }
        }
      }
    }

    @Test(
      "after SIGHUP, the server uses a renewed certificate, or continues with the old one if the new one does not match the key file"
    )
    func certificate() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let home = ServerHome(folder: folder, issuer: "https://localhost:\(port)", host: "127.0.0.1", port: port)
        let (old, new) = (try TestCertificates(), try TestCertificates())
        try self.write(old, to: folder)
        let server = try await home.serve(["--tls-certificate", "\(folder)/chain.pem", "--tls-key", "\(folder)/key.pem"])
        defer { server.end() }
        #expect(try await self.isTrusted(home.issuer, by: old))
        // The new certificate does not match the old key, which is still in the key file.
        try new.serverPEM.certificate.write(toFile: "\(folder)/chain.pem", atomically: true, encoding: .utf8)
        server.signal(SIGHUP)
        try await eventually("the log to contain the error") { server.errorOutput.contains("settings not reloaded") ? () : nil }
        #expect(try await self.isTrusted(home.issuer, by: old))
        try self.write(new, to: folder)
        server.signal(SIGHUP)
        try await eventually("the reload") { server.errorOutput.contains("settings reloaded") ? () : nil }
        #expect(try await self.isTrusted(home.issuer, by: new))
        #expect(try await self.isTrusted(home.issuer, by: old) == false)
        server.signal(SIGTERM)
        #expect(try await server.finish(within: .seconds(10)).status == .exited(0))
      }
    }
  }
}
