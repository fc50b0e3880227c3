import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct LemonLDAPTests {
    // LemonLDAP::NG has no revocation endpoint.
    @Test("sallyport signs in at LemonLDAP::NG, refreshes twice, and reports that it could not revoke the tokens")
    func server() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let issuer = "http://localhost:\(port)"
        // The server accepts only the port of the registered redirect URI.
        let redirectURI = "http://127.0.0.1:\(try freePort())/oauth2redirect/lemonldap"
        let server = try await Peers.start(
          Self.command(folder: folder, port: port, redirectURI: redirectURI), folder: folder,
          at: "\(issuer)/.well-known/openid-configuration")
        defer { server.end() }
        let outcome = try await RoundTripAtPeer(
          name: "lemonldap", issuer: issuer, userinfo: "\(issuer)/oauth2/userinfo",
          arguments: ["--client-id", "notes", "--redirect-uri", redirectURI]
        ).signIn { browser in
          try await browser.wait(for: "the sign-in page") { try await !$0.findAll("input[name=user]").isEmpty }
          // A user of LemonLDAP's demonstration accounts.
          try await browser.type("dwho", into: "input[name=user]")
          try await browser.type("dwho", into: "input[name=password]")
          try await browser.pressEnter(in: "input[name=password]")
          try await browser.wait(for: "the consent page") { try await !$0.findAll("form.confirm button.positive").isEmpty }
          try await browser.click("form.confirm button.positive")
        }
        #expect(outcome.user.sub == "dwho" && outcome.user.name == "Doctor Who", "\(outcome)")
        #expect(outcome.user.source == "userinfo" && !outcome.revoked, "\(outcome)")
      }
    }

    private static func command(folder: String, port: UInt16, redirectURI: String) -> ChildCommand {
      let script = Peers.path(of: "lemonldap_server.psgi")
      // With `--preload-app`, all workers have the signing key that the first process creates.
      var command = ChildCommand(
        "/usr/bin/starman", ["--preload-app", "--workers", "3", "--listen", "127.0.0.1:\(port)", script])
      command.environment = [
        "PATH": "/usr/bin:/bin", "PERL5LIB": "\(Peers.lemonLDAP)/share/perl5", "LEMONLDAP": Peers.lemonLDAP,
        "FOLDER": folder, "PORT": "\(port)", "CLIENT_ID": "notes", "REDIRECT_URI": redirectURI,
      ]
      return command
    }
  }
}
