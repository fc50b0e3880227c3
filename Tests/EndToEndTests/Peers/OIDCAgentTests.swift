import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct OIDCAgentTests {
    @Test("oidc-agent registers itself, signs in with the code flow, and refreshes")
    func agent() async throws {
      try await withServer(clients: [], arguments: ["--registration", "open"]) { server in
        try await withTemporaryFolder { folder in
          let agent = try OIDCAgent(folder: folder)
          let process = try await agent.start()
          defer { process.end() }
          let accountGenerator = try agent.startAccountGenerator(issuer: server.issuer)
          defer { accountGenerator.end() }
          // oidc-gen, oidc-agent's account generator, registers the client and prints the URL for the sign-in.
          let url = try await eventually("the authorization URL") {
            if let status = accountGenerator.exitStatus {
              throw UnexpectedResult("oidc-gen ended with \(status): \(accountGenerator.output)\(accountGenerator.errorOutput)")
            }
            return (accountGenerator.output + accountGenerator.errorOutput).firstMatch(of: /http\S+[?&]response_type=code\S*/)
              .map { String($0.output) }
          }
          try await withTestBrowser("oidc-agent") { browser in
            try await browser.open(url)
            try await browser.signIn(server.account)
            #expect(try await browser.text.contains("unverified"))
            try await browser.decide(.allow)
            let finished = try await accountGenerator.finish()
            guard finished.status == .exited(0) else { throw UnexpectedResult("oidc-gen: \(finished)") }
          }
          let token = try await agent.token()
          let renewed = try await agent.token(forcingRefresh: true)
          #expect(token != renewed && token.split(separator: ".").count == 3)
          #expect(try await server.userinfoStatus(renewed) == 200)
        }
      }
    }
  }
}
