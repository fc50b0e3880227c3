import BrowserDriver
import Testing

extension EndToEndTests {
  /// Canaille is an OpenID provider in Python.
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct CanailleTests {
    @Test(
      "C-02: sallyport signs in at Canaille, refreshes, and reports that it could not revoke the tokens"
    )
    func server() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let account = ServerHome.Account()
        let redirectURI = "http://127.0.0.1:\(try freePort())/oauth2redirect/localhost"
        let command = Peers.script(
          "canaille_server.py", ["\(port)", "notes", redirectURI, account.name], input: account.password + "\n")
        let server = try await Peers.start(
          command, folder: folder, at: "http://localhost:\(port)/.well-known/openid-configuration")
        defer { server.end() }
        let issuer = "http://localhost:\(port)"
        let outcome = try await RoundTripAtPeer(
          name: "canaille", issuer: issuer, userinfo: "\(issuer)/oauth/userinfo",
          arguments: ["--client-id", "notes", "--redirect-uri", redirectURI],
          refreshes: 1
        ).signIn { browser in
          try await browser.wait(for: "the page for the name") { try await !$0.findAll("input[name=login]").isEmpty }
          try await browser.type(account.name, into: "input[name=login]")
          try await browser.pressEnter(in: "input[name=login]")
          try await browser.wait(for: "the page for the password") { try await !$0.findAll("input[name=password]").isEmpty }
          try await browser.type(account.password, into: "input[name=password]")
          try await browser.pressEnter(in: "input[name=password]")
          try await browser.wait(for: "the consent page") { try await !$0.findAll("button[value=accept]").isEmpty }
          try await browser.click("button[value=accept]")
        }
        #expect(outcome.user.sub == account.name && outcome.user.name == "Ada Lovelace", "\(outcome)")
        #expect(outcome.user.source == "userinfo" && !outcome.revoked, "\(outcome)")
      }
    }
  }
}
