import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct ProfilesTests {
    @Test("each profile has its own tokens, and the account of the last sign-in is the default")
    func profiles() async throws {
      try await withServer(clients: [.notes, .tasks]) { server in
        try await withUser { user in
          var user = user
          #expect(try await user.sallyport("accounts").output.isEmpty)
          #expect(try await user.sallyport("accounts", "--json").line == "[]")
          for (profile, client) in [("work", TestClient.notes), ("home", .notes), ("other", .tasks)] {
            try await Self.signIn(user, server, ["--client-id", client.id, "--profile", profile])
          }
          try await Self.signIn(user, server, ["--client-id", "notes"])

          let accounts = try await user.sallyport("accounts")
          let rows = ["* -\t\(server.issuer)\tnotes\t-\tada", "  other\t\(server.issuer)\ttasks\t-\tada"]
          #expect(accounts.output.split(separator: "\n").prefix(2).map(String.init) == rows, "\(accounts)")
          #expect(try await user.sallyport("accounts", "--json").output.contains("\"current\":true"))

          var tokens: [String] = []
          for profile in [["--profile", "work"], ["--profile", "home"], ["--profile", "other"], []] {
            tokens.append(try await run(user.command(["token"] + profile), folder: user.folder).line)
          }
          #expect(Set(tokens).count == 4 && tokens.allSatisfy { $0.split(separator: ".").count == 3 })
          user.environment["SALLYPORT_PROFILE"] = "home"
          #expect(try await user.sallyport("accounts").output.contains("* home\t"))
          #expect(try await user.sallyport("token").line == tokens[1])
          #expect(try await user.sallyport("token", "--profile", "work").line == tokens[0], "--profile overrides the variable")

          #expect(try await user.sallyport("logout").status == .exited(0))
          let afterLogout = try await user.sallyport("token")
          #expect(afterLogout.status == .exited(3) && afterLogout.errorOutput.contains("--profile home"), "\(afterLogout)")
          user.environment["SALLYPORT_PROFILE"] = nil
          #expect(try await user.sallyport("token", "--profile", "work").line == tokens[0])
          #expect(try await user.sallyport("accounts").output.split(separator: "\n").count == 3)

          // The stored account names its server, so no other option is needed.
          try await Self.signIn(user, nil, ["--profile", "work"], at: server)
          #expect(try await user.sallyport("token", "--profile", "work").line != tokens[0])
        }
      }
    }

    @Test("an invalid profile name is a usage error", arguments: ["", "-x", "a b", "../x", "\u{1B}[2J"])
    func names(_ name: String) async throws {
      try await withUser { user in
        let finished = try await user.sallyport("token", "--profile=\(name)")
        #expect(finished.status == .exited(2) && finished.output.isEmpty, "\(finished)")
      }
    }

    @Test("login without a server, with an unusable issuer, or with two methods is a usage error, and so is a misspelled command")
    func missingServer() async throws {
      try await withUser { user in
        let withoutIssuer = try await user.sallyport("login", "--browser", "/bin/true")
        #expect(withoutIssuer.status == .exited(2) && withoutIssuer.errorOutput.contains("--provider"), "\(withoutIssuer)")
        for (words, advice) in [
          (["login", "--issuer", "https://github.com"], "--provider github"), (["lgin"], "sallyport login"),
          (["login", "--issuer", "https://slack.com", "--client-id", "a"], "loopback redirect"),
        ] {
          let refused = try await user.sallyport(words)
          #expect(refused.status == .exited(2) && refused.errorOutput.contains(advice), "\(refused)")
        }
        let twoMethods = try await user.sallyport("login", "--paste", "--device")
        #expect(twoMethods.status == .exited(2))
      }
    }

    @Test("completion scripts are generated for bash, zsh, and fish", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
      try await withUser { user in
        let script = try await user.sallyport("--generate-completion-script", shell)
        #expect(script.status == .exited(0) && script.output.contains("credential-helper"), "\(script)")
        guard shell == "bash" else { return }
        let words =
          "eval \"$0\"; COMP_WORDS=(sallyport log); COMP_CWORD=1; _sallyport sallyport log sallyport; echo \"${COMPREPLY[*]}\""
        let command = ChildCommand("/bin/bash", ["-c", words, script.output], environment: user.environment)
        #expect(try await run(command, folder: user.folder).output.contains("login logout"))
      }
    }

    /// Runs `sallyport login` and completes the sign-in.
    /// - Parameters:
    ///   - named: The server that `--issuer` names, or `nil` to omit the option.
    ///   - server: The server at which the user signs in, or `nil` if it is the server that `--issuer` names.
    static func signIn(
      _ user: UserHome, _ named: ServerHome?, _ arguments: [String], at server: ServerHome? = nil
    ) async throws {
      let issuer = named.map { ["--issuer", $0.issuer] } ?? []
      let login = try await user.beginLogin(issuer + arguments)
      defer { login.process.end() }
      guard let server = server ?? named else { throw UnexpectedResult("no server") }
      try await signInWithoutBrowser(login, at: server)
    }
  }
}
