import BrowserDriver
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Signs users in to our server through servers of other projects.
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct UpstreamPeerTests {
    @Test("S-24: a user signs in through glewlwyd and gets an account")
    func glewlwyd() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withTemporaryFolder { folder in
          let port = try freePort()
          let process = try await Glewlwyd.start(folder: folder, port: port)
          defer { process.end() }
          try await AsyncHTTPClientTransport.withTransport { transport in
            let glewlwyd = Glewlwyd(origin: "http://localhost:\(port)", transport: transport)
            try await glewlwyd.configure(clientID: "rp", redirectURI: Self.redirectURI(at: server), folder: folder)
            try await Self.add(glewlwyd.issuer, to: server)
            let browser = HTTPBrowser(issuer: server.issuer, transport: transport)
            let redirect = try await browser.submit(try await browser.open("\(server.issuer)/account"), [("upstream", "peer")])
            let authorizationURL = try #require(redirect.location, "\(redirect)")
            let callbackURL = try await glewlwyd.authorize(authorizationURL, clientID: "rp")
            let page = try await browser.open(callbackURL)
            #expect(page.text.contains("Your account") && page.text.contains("Peer"), "\(page)")
          }
        }
      }
    }

    @Test("S-24: a user signs in through oidc-provider-mock in a real browser and gets an account")
    func oidcProviderMock() async throws {
      try await withServer(clients: []) { server in
        try await withTemporaryFolder { folder in
          let port = try freePort()
          // Browsers share the cookies of localhost among all ports, so the provider has another host.
          let issuer = "http://127.0.0.1:\(port)"
          let command = ChildCommand(
            "\(Peers.folder ?? "")/venv/bin/oidc-provider-mock",
            ["--port", "\(port)", "--user-claims", #"{"sub": "grace", "preferred_username": "grace"}"#])
          let process = try await Peers.start(command, folder: folder, at: "\(issuer)/.well-known/openid-configuration")
          defer { process.end() }
          try await Self.add(issuer, to: server, input: "any\n", "--secret-from-stdin")
          try await withTestBrowser("upstream-oidc-provider-mock") { browser in
            try await browser.open("\(server.issuer)/account")
            try await browser.click("button[name=upstream][value=peer]")
            try await browser.wait(for: "the provider's page") { try await !$0.findAll("button[name=sub][value=grace]").isEmpty }
            try await browser.click("button[name=sub][value=grace]")
            try await browser.wait(for: "the account page") { try await $0.text.contains("You are signed in as grace") }
          }
        }
      }
    }

    private static func redirectURI(at server: ServerHome) -> String { "\(server.issuer)/upstream/peer/callback" }

    private static func add(_ issuer: String, to server: ServerHome, input: String = "", _ more: String...) async throws {
      try await server.runCommand(
        ["upstream", "add", "peer", "--issuer", issuer, "--client-id", "rp", "--name", "Peer", "--accounts", "create"] + more,
        input: input)
    }
  }
}
