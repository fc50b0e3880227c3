import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct DjangoTests {
    /// - Parameter settings: The settings of django-oauth-toolkit to turn on, separated by spaces.
    @Test(
      "C-02, C-30: sallyport signs in at django-oauth-toolkit, refreshes twice, and revokes its tokens",
      arguments: ["", "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS COMPLIANT_BCP_RFC9700_PKCE_METHOD"])
    func server(settings: String) async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let account = ServerHome.Account()
        var command = Peers.script(
          "django_server.py", [folder, "\(port)", "notes", TestClient.notes.redirectURIs[0], account.name],
          input: account.password + "\n")
        command.environment?["DJANGO_FLAGS"] = settings
        let server = try await Peers.start(
          command, folder: folder, at: "http://localhost:\(port)/o/.well-known/openid-configuration")
        defer { server.end() }
        let issuer = "http://localhost:\(port)/o"
        let outcome = try await RoundTripAtPeer(
          name: "django", issuer: issuer, userinfo: "\(issuer)/userinfo/", arguments: ["--client-id", "notes"]
        ).signIn { browser in
          try await browser.signIn(account)
          try await browser.wait(for: "the consent page") { try await !$0.findAll("#authorizationForm").isEmpty }
          try await browser.click("input[name=allow]")
        }
        #expect(outcome.user.sub == "1" && outcome.user.source == "userinfo", "\(outcome)")
        #expect(outcome.revoked)
      }
    }
  }
}
