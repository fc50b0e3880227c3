import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite struct UpstreamTests {
    @Test(
      "S-24: in a real browser, a user signs in to an app through a second sallyportd, cannot remove the only way to sign in, and is signed out after a sign-out at the provider"
    )
    func secondServer() async throws {
      try await withServer(clients: [], issuerHost: "127.0.0.1") { provider in
        try await withServer(clients: [.notes]) { server in
          try await Self.connect(server, to: provider, "--accounts", "create")
          try await withUser { user in
            let login = try await user.beginLogin(server, .notes)
            defer { login.process.end() }
            try await withTestBrowser("upstream") { browser in
              try await browser.open(login.url)
              try await browser.wait(for: "the button of the provider") { try await !$0.findAll("button[name=upstream]").isEmpty }
              try await keepScreenshot(of: browser, "upstream-button")
              try await browser.click("button[name=upstream][value=second]")
              try await browser.wait(for: "the provider") { try await $0.currentURL.hasPrefix(provider.issuer) }
              try await browser.signIn(provider.account)
              try await browser.decide(.allow)
              try await browser.wait(for: "the server") { try await $0.currentURL.hasPrefix(server.issuer) }
              // The server has a user "ada" already, so the new account is "ada-2".
              try await browser.decide(.allow)
              try await browser.wait(for: "the app's last page") { try await $0.text.contains("You can close this tab") }
              let finished = try await login.process.finish()
              #expect(finished.status == .exited(0), "\(finished)")
              let users = try await server.runCommand(["user", "list"]).output
              #expect(users.contains("ada-2\t"))

              try await browser.open("\(server.issuer)/account")
              try await browser.wait(for: "the account page") { try await $0.text.contains("Other providers") }
              try await browser.click("button[value=disconnect-provider]")
              try await browser.wait(for: "the reason") { try await $0.text.contains("could not sign in anymore") }
              try await keepScreenshot(of: browser, "upstream-account")

              // The sign-out at the provider ends the session at the server.
              try await browser.open("\(provider.issuer)/sign-out")
              try await browser.click("button[type=submit]")
              try await browser.wait(for: "the sign-out at the provider") { try await $0.text.contains("You are signed out") }
              try await eventually("the end of the session at the server") {
                let audit = try await server.runCommand(["audit", "--kind", "signed-out"]).output
                return audit.contains("upstream-logout") ? () : nil
              }
              try await browser.open("\(server.issuer)/account")
              try await browser.wait(for: "the sign-in page") { try await !$0.findAll("button[name=upstream]").isEmpty }
            }
          }
        }
      }
    }

    /// Registers `server` as a client of `provider`, and adds `provider` to the upstreams of `server`.
    /// - Parameter more: More options of `upstream add`.
    static func connect(_ server: ServerHome, to provider: ServerHome, _ more: String...) async throws {
      // The second line of the output is the client secret.
      let secret = try await provider.runCommand(
        [
          "client", "add", "--client-id", "rp", "--name", "Second", "--type", "web", "--scope", "openid profile email",
          "--redirect-uri", "\(server.issuer)/upstream/second/callback",
          "--backchannel-logout-uri", "\(server.issuer)/upstream/second/backchannel-logout",
        ]
      ).output.split(separator: "\n")[1]
      let added = try await server.runCommand(
        [
          "upstream", "add", "second", "--issuer", provider.issuer, "--client-id", "rp", "--name", "Second",
          "--secret-from-stdin",
        ]
          + more, input: "\(secret)\n")
      #expect(added.output == "\(server.issuer)/upstream/second/callback\n")
    }
  }
}
