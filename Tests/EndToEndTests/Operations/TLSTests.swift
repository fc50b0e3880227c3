import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import SocketTestSupport
import Testing

extension EndToEndTests {
  /// A server that terminates TLS itself.
  @Suite struct TLSTests {
    /// A server's home folder, and the certificate and key files for TLS.
    private struct Files {
      let home: ServerHome
      let authority: String
      let certificate: String
      let key: String

      init(in folder: String, _ certificates: TestCertificates, port: UInt16) throws {
        self.home = ServerHome(folder: folder, issuer: "https://localhost:\(port)", host: "127.0.0.1", port: port)
        (self.authority, self.certificate, self.key) = ("\(folder)/ca.pem", "\(folder)/server.pem", "\(folder)/server.key")
        try certificates.authorityPEM.write(toFile: self.authority, atomically: true, encoding: .utf8)
        try certificates.serverPEM.certificate.write(toFile: self.certificate, atomically: true, encoding: .utf8)
        try certificates.serverPEM.key.write(toFile: self.key, atomically: true, encoding: .utf8)
      }

      var arguments: [String] { ["--tls-certificate", self.certificate, "--tls-key", self.key] }

      /// Makes a handshake with `openssl s_client` and these options.
      func handshake(_ options: [String]) async throws -> CommandResult {
        let words = [
          "s_client", "-connect", "127.0.0.1:\(self.home.port)", "-servername", "localhost", "-CAfile", self.authority,
        ]
        let command = ChildCommand("/usr/bin/openssl", words + ["-verify_return_error"] + options)
        return try await run(command, folder: self.home.folder)
      }
    }

    private func withFiles(_ body: (Files) async throws -> Void) async throws {
      try await withTemporaryFolder { folder in
        try await body(try Files(in: folder, try TestCertificates(), port: try freePort()))
      }
    }

    @Test(
      "S-33: a sign-in works over TLS with HTTP/1.1 and with HTTP/2, redirects stay on https, and cookies are Secure and HttpOnly",
      arguments: ["http/1.1", "h2"])
    func signsIn(version: String) async throws {
      try await self.withFiles { files in
        try await files.home.addAccount()
        try await files.home.addClient(.claimedHTTPS)
        let server = try await files.home.serve(files.arguments)
        defer { server.end() }
        let client = AsyncHTTPClientTransport(trustRoots: [files.authority])
        let openSSL = OpenSSLTransport(port: files.home.port, authority: files.authority, folder: files.home.folder)
        // AsyncHTTPClient always offers HTTP/2, so the HTTP/1.1 requests are sent with OpenSSL.
        let transport = RecordingTransport(version == "h2" ? client : openSSL)
        // If the client offers HTTP/2 and HTTP/1.1, the server selects HTTP/2.
        let offered = version == "h2" ? "h2,http/1.1" : "http/1.1"
        #expect(try await files.handshake(["-alpn", offered]).output.contains("ALPN protocol: \(version)\n"))
        let app = try await HTTPApp(.claimedHTTPS, at: files.home, transport: transport)
        #expect(app.metadata.issuer == files.home.issuer)
        let pending = try app.begin()
        let browser = HTTPBrowser(issuer: files.home.issuer, transport: transport)
        let response = try await browser.authorize(pending.url, as: files.home.account)
        #expect(response.hasPrefix("https://app.example/oauth2redirect/localhost?code="))
        let tokens = try await app.redeem(try app.code(in: response, for: pending), for: pending)
        #expect(tokens.status == 200 && tokens.body.idToken != nil)
        let serverLocations = transport.locations.filter { !$0.hasPrefix("https://app.example/") }
        #expect(!serverLocations.isEmpty)
        #expect(
          serverLocations.allSatisfy { $0.hasPrefix("/") || $0.hasPrefix(files.home.issuer + "/") }, "\(serverLocations)")
        #expect(transport.cookies.contains { $0.hasPrefix("__Host-sallyport=") })
        #expect(transport.cookies.allSatisfy { $0.contains("Secure") && $0.contains("HttpOnly") }, "\(transport.cookies)")
        await client.shutdown()
      }
    }

    @Test("S-33: the server rejects TLS 1.1 and unencrypted requests")
    func olderVersions() async throws {
      try await self.withFiles { files in
        let server = try await files.home.serve(files.arguments)
        defer { server.end() }
        // At a higher security level, OpenSSL's client does not offer TLS 1.1.
        let old = try await files.handshake(["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        #expect(old.status != .exited(0) && old.output.contains("Cipher is (NONE)"), "\(old)")
        for version in ["-tls1_2", "-tls1_3"] { #expect(try await files.handshake([version]).status == .exited(0)) }
        let transport = AsyncHTTPClientTransport()
        await #expect(throws: TransportError.self) {
          try await transport.send(
            .get(try EndpointURL("http://127.0.0.1:\(files.home.port)/")), body: [], limits: .document)
        }
        await transport.shutdown()
      }
    }

    /// The test's display name begins with the module of the OpenID conformance suite that makes these TLS checks.
    @Test(
      """
      fapi2-security-profile-final-ensure-holder-of-key-required: over TLS 1.2, only cipher suites that RFC 9325 §4.2 recommends \
      are accepted, and TLS 1.3 is preferred
      """)
    func cipherSuites() async throws {
      try await self.withFiles { files in
        let server = try await files.home.serve(files.arguments)
        defer { server.end() }
        let preferred = try await files.handshake([])
        #expect(preferred.output.contains("TLSv1.3"), "\(preferred)")
        // The certificate has an ECDSA key, so suites with RSA cannot be used anyway.
        let recommended = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384"
        let others = "ALL:COMPLEMENTOFALL:!ECDHE-ECDSA-AES128-GCM-SHA256:!ECDHE-ECDSA-AES256-GCM-SHA384:@SECLEVEL=0"
        for suite in recommended.split(separator: ":") {
          let accepted = try await files.handshake(["-tls1_2", "-cipher", String(suite)])
          #expect(accepted.status == .exited(0) && accepted.output.contains("Cipher is \(suite)"), "\(accepted)")
        }
        let refused = try await files.handshake(["-tls1_2", "-cipher", others])
        #expect(refused.status != .exited(0) && refused.output.contains("Cipher is (NONE)"), "\(refused)")
      }
    }

    @Test(
      "RFC 9110 §15.6.4, RFC 9113 §8.2.2: over HTTP/2, a connection beyond the limit gets 503 without the Connection field")
    func excess() async throws {
      try await self.withFiles { files in
        let settings = "\(files.home.folder)/limit.yaml"
        try "connections: { limit: 1 }\n".write(toFile: settings, atomically: true, encoding: .utf8)
        let server = try await files.home.serve(files.arguments + ["--config", settings])
        defer { server.end() }
        let request = HTTPRequest.get(try EndpointURL("\(files.home.issuer)/jwks.json"))
        let (first, second) = (
          AsyncHTTPClientTransport(trustRoots: [files.authority]), AsyncHTTPClientTransport(trustRoots: [files.authority])
        )
        #expect(try await first.send(request, body: [], limits: .document).head.status == .ok)
        let refused = try await second.send(request, body: [], limits: .document).head
        #expect(refused.status == .serviceUnavailable && refused.headerFields[.retryAfter] == "5")
        #expect(refused.headerFields[.connection] == nil)
        await first.shutdown()
        await second.shutdown()
      }
    }

    enum Mistake: String, CaseIterable {
      case otherKey, noKey, noCertificate, noFile, keyAlone
    }

    @Test(
      "a certificate or key that is missing, invalid, or mismatched is reported by check-config and at startup",
      arguments: Mistake.allCases)
    func mistakes(_ mistake: Mistake) async throws {
      try await self.withFiles { files in
        var (arguments, expected) = (files.arguments, "tls.key")
        switch mistake {
        case .otherKey:
          try TestCertificates().serverPEM.key.write(toFile: files.key, atomically: true, encoding: .utf8)
          expected = "does not match the certificate"
        case .noKey: try "no key".write(toFile: files.key, atomically: true, encoding: .utf8)
        case .noCertificate:
          try "no certificate".write(toFile: files.certificate, atomically: true, encoding: .utf8)
          expected = "tls.certificate"
        case .noFile:
          try FileManager.default.removeItem(atPath: files.certificate)
          expected = "tls.certificate"
        // The last two arguments are `--tls-key` and its value.
        case .keyAlone: (arguments, expected) = (Array(files.arguments.suffix(2)), "requires tls.certificate")
        }
        let words = ["--data", files.home.data, "--issuer", files.home.issuer, "--port", "\(files.home.port)"] + arguments
        for verb in ["check-config", "serve"] {
          let command = ChildCommand(BuildFolder.command("sallyportd"), [verb] + words)
          let finished = try await run(command, folder: files.home.folder)
          #expect(finished.status == .exited(2) && finished.errorOutput.contains(expected), "\(verb): \(finished)")
          #expect(!finished.errorOutput.contains("PRIVATE KEY"))
        }
      }
    }
  }
}
