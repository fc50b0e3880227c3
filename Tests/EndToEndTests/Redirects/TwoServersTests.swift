import BrowserDriver
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  @Suite struct TwoServersTests {
    @Test("C-17: a sign-in at a second server is rejected until it uses a redirect URI of its own")
    func twoServers() async throws {
      let notes = TestClient(
        id: "notes", name: "Notes", redirectURIs: TestClient.notes.redirectURIs + ["http://127.0.0.1/oauth2redirect/second"])
      try await withServer(clients: [notes]) { first in
        try await withServer(clients: [notes]) { second in
          try await withUser { user in
            try await Self.signIn(user, at: first, [])
            let rejectedLogin = try await user.sallyport(
              "login", "--issuer", second.issuer, "--client-id", "notes", "--browser", "/bin/true")
            #expect(rejectedLogin.status == .exited(1), "\(rejectedLogin)")
            #expect(rejectedLogin.errorOutput.contains("This redirect URI is already in use with \(first.issuer)"))
            try await Self.signIn(user, at: second, ["--redirect-uri", "http://127.0.0.1/oauth2redirect/second"])
            for server in [first, second] {
              let token = try await user.sallyport("token", "--issuer", server.issuer, "--client-id", "notes")
              #expect(token.status == .exited(0), "\(token)")
            }
          }
        }
      }
    }

    private static func signIn(_ user: UserHome, at server: ServerHome, _ options: [String]) async throws {
      let login = try await user.beginLogin(["--issuer", server.issuer, "--client-id", "notes"] + options)
      defer { login.process.end() }
      try await signInWithoutBrowser(login, at: server)
    }
  }
}
