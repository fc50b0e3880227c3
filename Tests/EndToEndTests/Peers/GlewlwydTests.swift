import BrowserDriver
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

extension EndToEndTests {
  /// Tests the `sallyport` command with glewlwyd, an authorization server of another project.
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct GlewlwydTests {
    @Test(
      "C-02: sallyport signs in at glewlwyd with the registered redirect port, and refreshes"
    )
    func server() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let server = try await Glewlwyd.start(folder: folder, port: port)
        defer { server.end() }
        try await AsyncHTTPClientTransport.withTransport { transport in
          let glewlwyd = Glewlwyd(origin: "http://localhost:\(port)", transport: transport)
          let redirectURI = "http://127.0.0.1:\(try freePort())/oauth2redirect/glewlwyd"
          try await glewlwyd.configure(clientID: "notes", redirectURI: redirectURI, folder: folder)
          try await withUser { user in
            let login = try await user.beginLogin([
              "--issuer", glewlwyd.issuer, "--client-id", "notes", "--redirect-uri", redirectURI,
            ])
            defer { login.process.end() }
            let location = try await glewlwyd.authorize(login.url, clientID: "notes")
            #expect(location.hasPrefix(redirectURI + "?"))
            // No browser runs in this test, so the test itself follows the redirect to the receiver of `sallyport`.
            let page = try await transport.send(.get(EndpointURL(location), accept: "text/html"), body: [], limits: .document)
            #expect(page.head.status == .ok)
            let finished = try await login.process.finish()
            #expect(finished.status == .exited(0), "\(finished)\n\(server.output)")
            let token = try await user.sallyport("token")
            let refreshed = try await user.sallyport("token", "--refresh")
            #expect(token.status == .exited(0) && refreshed.status == .exited(0), "\(token)\(refreshed)")
            #expect(token.line != refreshed.line && !refreshed.line.isEmpty)
          }
        }
      }
    }
  }
}
