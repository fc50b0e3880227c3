import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct SignInParameterTests {
    @Test("the authorization request contains the options of login, and later sign-ins repeat only --param and --audience")
    func parameters() async throws {
      try await withProvider { provider in
        try await withUser { user in
          let options = [
            "--param", "access_type=offline", "--param", "hd=a=b", "--audience", "https://api.example", "--login-hint", "ada",
            "--prompt", "login consent", "--acr-values", "gold silver",
          ]
          try await Self.signIn(user, provider, options)
          let first = try #require(try provider.received("/authorize").last).parameters
          let repeated = ["access_type": "offline", "hd": "a=b", "audience": "https://api.example"]
          let once = ["prompt": "login consent", "login_hint": "ada", "acr_values": "gold silver"]
          for (name, value) in repeated.merging(once, uniquingKeysWith: { $1 }) { #expect(first[name] == value, "\(first)") }

          try await Self.signIn(user, provider, [])
          let second = try #require(try provider.received("/authorize").last).parameters
          for (name, value) in repeated { #expect(second[name] == value, "\(second)") }
          for name in once.keys { #expect(second[name] == nil, "\(second)") }
        }
      }
    }

    @Test(
      "a --param that login sets itself, a malformed or repeated --param, and an unsupported --prompt are usage errors",
      arguments: [
        ["--param", "state=x"], ["--param", "CODE_CHALLENGE=x"], ["--param", "redirect_uri=https://evil.example"],
        ["--param", "scope=a"], ["--param", "=x"], ["--param", "x"], ["--param", "x="], ["--param", "a=1", "--param", "a=2"],
        ["--param", "audience=a", "--audience", "b"], ["--prompt", "none"], ["--prompt", "sometimes"],
      ])
    func reserved(options: [String]) async throws {
      try await withUser { user in
        let arguments = ["login", "--issuer", "http://127.0.0.1:1", "--client-id", "notes", "--browser", "/bin/true"] + options
        let refused = try await run(user.command(arguments), folder: user.folder)
        #expect(refused.status == .exited(2) && refused.output.isEmpty, "\(refused)")
      }
    }

    @Test("a client secret is read from a file, is used again for a refresh, and is not printed")
    func secret() async throws {
      try await withProvider(secret: "s3cret-value") { provider in
        try await withUser { user in
          let file = "\(user.folder)/secret"
          try "s3cret-value\n".write(toFile: file, atomically: true, encoding: .utf8)
          try await Self.signIn(user, provider, ["--client-secret-file", file, "--verbose"])
          let refreshed = try await user.sallyport("token", "--refresh", "--verbose")
          #expect(refreshed.status == .exited(0) && refreshed.line == "access-notes", "\(refreshed)")
          #expect(refreshed.errorOutput.contains("POST \(provider.issuer)/token: status 200"), "\(refreshed)")
          #expect(!refreshed.errorOutput.contains("s3cret") && !refreshed.errorOutput.contains("refresh-"), "\(refreshed)")
          let accounts = try await user.sallyport("accounts", "--json")
          #expect(!accounts.output.contains("s3cret"), "\(accounts)")
          let sent = try provider.received("/token")
          #expect(sent.count == 2 && sent.allSatisfy { $0.parameters["client_secret"] == "s3cret-value" })

          // After the sign-out, the secret is gone.
          #expect(try await user.sallyport("logout").status == .exited(0))
          let without = try await Self.login(user, provider, [])
          #expect(without.status == .exited(1) && without.errorOutput.contains("invalid_client"), "\(without)")
          #expect(without.errorOutput.contains("No client secret was sent"), "\(without)")
          // A user may pass the secret itself instead of a file. The error then does not quote the argument.
          let direct = try await Self.login(user, provider, ["--client-secret-file", "s3cret-value"])
          #expect(direct.status == .exited(2) && !direct.errorOutput.contains("s3cret"), "\(direct)")
          let withoutClientID = try await user.sallyport("login", "--issuer", provider.issuer, "--client-secret-file", file)
          #expect(
            withoutClientID.status == .exited(2) && withoutClientID.errorOutput.contains("--client-id"), "\(withoutClientID)")
        }
      }
    }

    static func signIn(_ user: UserHome, _ provider: HTTPProvider, _ options: [String]) async throws {
      let finished = try await self.login(user, provider, options)
      guard finished.status == .exited(0) else { throw UnexpectedResult("\(finished)") }
      #expect(!finished.errorOutput.contains("s3cret"))
    }

    private static func login(_ user: UserHome, _ provider: HTTPProvider, _ options: [String]) async throws -> CommandResult {
      let target = ["--issuer", provider.issuer, "--client-id", "notes", "--scope", "repo"]
      return try await run(user.command(["login"] + target + HTTPProvider.browserOptions + options), folder: user.folder)
    }
  }
}
