import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct AccountDefaultsTests {
    @Test(
      "C-34: an account without an API is the default, even if the last sign-in was for an API; without --resource, git gets an API's token only for the API's host"
    )
    func defaults() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withAPI(of: server) { api in
          try await withUser { user in
            let host = try #require(URL(string: api.url).flatMap { url in url.port.map { "127.0.0.1:\($0)" } })
            try await ProfilesTests.signIn(user, nil, ["--resource", api.url, "--client-id", "notes"], at: server)
            let tokenForAPI = try await user.sallyport("token").line
            let git = "protocol=https\nhost=git.example.com\n\n"
            let refused = try await Self.helper(user, "git.example.com", git)
            #expect(refused.status == .exited(1) && refused.output.isEmpty, "\(refused)")
            let forAPIHost = try await Self.helper(user, host, "protocol=http\nhost=\(host)\n\n")
            #expect(forAPIHost.output.contains("password=\(tokenForAPI)\n"), "\(forAPIHost)")
            let withResource = try await Self.helper(user, "git.example.com", git, ["--resource", api.url])
            #expect(withResource.output.contains("password=\(tokenForAPI)\n"), "\(withResource)")

            try await ProfilesTests.signIn(user, server, ["--client-id", "notes"])
            let plain = try await user.sallyport("token").line
            try await ProfilesTests.signIn(user, nil, ["--resource", api.url, "--client-id", "notes"], at: server)
            #expect(try await user.sallyport("token").line == plain)
            #expect(try await user.sallyport("token", "--output", "kubectl").output.contains(plain))
            let withoutResource = try await Self.helper(user, "git.example.com", git)
            #expect(withoutResource.output.contains("password=\(plain)\n"), "\(withoutResource)")
          }
        }
      }
    }

    @Test("'sallyport request' uses an API's account only for URLs that begin with all path segments of the API's URL")
    func segments() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withAPI(of: server) { api in
          try await withUser { user in
            try await ProfilesTests.signIn(user, server, ["--client-id", "notes", "--resource", api.url])
            #expect(try await user.sallyport("request", "\(api.url)/below?a=b").status == .exited(0))
            let other = try await user.sallyport("request", "\(api.url)-other")
            #expect(other.status == .exited(1) && other.errorOutput.contains("--resource"), "\(other)")
            #expect(try await user.sallyport("request", "\(api.url)-other", "--resource", api.url).status == .exited(0))
          }
        }
      }
    }

    @Test("logout --unregister applies to the current account, and removes the registration at another server only with --issuer")
    func unregister() async throws {
      try await withServer(clients: [], issuerHost: "127.0.0.1") { older in
        try await withServer(clients: [.notes]) { current in
          try await withUser { user in
            try await ProfilesTests.signIn(user, older, [])
            try await ProfilesTests.signIn(user, current, ["--client-id", "notes"])
            let refused = try await user.sallyport("logout", "--unregister")
            #expect(refused.status == .exited(1) && refused.errorOutput.contains("--issuer"), "\(refused)")
            #expect(try await !older.runCommand(["client", "list"]).output.isEmpty)
            #expect(try await user.sallyport("token").status == .exited(0))
            #expect(try await user.sallyport("logout", "--unregister", "--issuer", older.issuer).status == .exited(0))
            #expect(try await older.runCommand(["client", "list"]).output.isEmpty)

            // The server rejects the revocation, because the client no longer exists.
            try await current.runCommand(["client", "remove", "notes"])
            let logout = try await user.sallyport("logout")
            #expect(logout.status == .exited(0) && logout.errorOutput.contains("did not confirm"), "\(logout)")
          }
        }
      }
    }

    @Test("C-21: an initial access token is sent only to the server that --issuer names, not to one that an API's metadata names")
    func initialAccessToken() async throws {
      try await withServer(clients: [], arguments: ["--registration", "token"]) { server in
        let token = try await server.runCommand(["client", "token", "add", "--label", "test", "--uses", "2"]).line
        try await withAPI(of: server) { api in
          try await withUser { user in
            let file = "\(user.folder)/token"
            try "\(token)\n".write(toFile: file, atomically: true, encoding: .utf8)
            var withVariable = user
            withVariable.environment["SALLYPORT_INITIAL_ACCESS_TOKEN"] = token
            for (user, arguments) in [(withVariable, []), (user, ["--initial-access-token-file", file])] {
              let arguments = ["login", "--resource", api.url, "--timeout", "1", "--browser", "/bin/true"] + arguments
              let login = try await run(user.command(arguments), folder: user.folder)
              #expect(login.status == .exited(1) && login.errorOutput.contains("--issuer"), "\(login)")
              #expect(try await server.runCommand(["client", "list"]).output.isEmpty)
            }
            try await ProfilesTests.signIn(withVariable, server, ["--resource", api.url])
            #expect(try await !server.runCommand(["client", "list"]).output.isEmpty)
          }
        }
      }
    }

    @Test("C-21: if an API's metadata names another server later, the next sign-in does not use the client of the first server")
    func changedAuthorizationServer() async throws {
      try await withServer(clients: [.notes]) { first in
        try await withServer(clients: [], issuerHost: "127.0.0.1") { second in
          try await withAPI(of: first) { api in
            try await withUser { user in
              try await ProfilesTests.signIn(user, first, ["--client-id", "notes", "--resource", api.url])
              try api.changeAuthorizationServer(to: second)
              try await ProfilesTests.signIn(user, nil, ["--resource", api.url], at: second)
              let accounts = try await user.sallyport("accounts").output
              #expect(accounts.contains(second.issuer) && !accounts.contains("\tnotes"), "\(accounts)")
            }
          }
        }
      }
    }

    @Test("a session that is missing from the stored list of accounts is found by 'accounts', 'whoami', and 'logout'")
    func unlisted() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          try await ProfilesTests.signIn(user, server, ["--client-id", "notes"])
          let listed = try await user.sallyport("accounts").line
          try user.removeListOfAccounts()
          // The user's name is stored only in the list. Without the name, the line lacks the columns for the API and
          // the user.
          #expect(try await "\(user.sallyport("accounts").line)\t-\tada" == listed)
          let issuerAndClient = ["--issuer", server.issuer, "--client-id", "notes"]
          for choice in [[], ["--issuer", server.issuer], issuerAndClient] {
            let whoami = try await run(user.command(["whoami"] + choice), folder: user.folder)
            #expect(whoami.status == .exited(0) && whoami.output.contains("ada"), "\(choice) \(whoami)")
          }
          #expect(try await user.sallyport("whoami", "--profile", "work").status == .exited(3))
          #expect(try await user.sallyport("logout").status == .exited(0))
          #expect(try await user.sallyport("accounts", "--json").line == "[]")
        }
      }
    }

    @Test("the error for a --resource that is too long names the RFC section and the option to change")
    func explanation() async throws {
      try await withUser { user in
        let longResource = "https://api.example/" + String(repeating: "a", count: 2_100)
        let login = try await user.sallyport(
          "login", "--issuer", "http://127.0.0.1:1", "--client-id", "notes", "--resource", longResource, "--browser", "/bin/true")
        #expect(login.status == .exited(1) && login.errorOutput.contains("RFC 8707 §2"), "\(login)")
        #expect(login.errorOutput.contains("--resource"))
      }
    }

    /// Runs the credential helper with the operation `get`, as git does when it needs a password.
    private static func helper(
      _ user: UserHome, _ host: String, _ input: String, _ options: [String] = []
    ) async throws -> CommandResult {
      var command = user.command(["credential-helper", "git", "--host", host] + options + ["get"])
      command.input = Array(input.utf8)
      return try await run(command, folder: user.folder)
    }
  }
}

extension UserHome {
  /// Removes the file with the list of accounts, as if the first sign-in had been killed before it wrote the file. A
  /// sign-in writes this file last, so it is the newest file of the store.
  fileprivate func removeListOfAccounts() throws {
    let folder = URL(filePath: "\(self.folder)/.local/share/sallyport-cli")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    let sealed = try files.filter { $0.pathExtension == "sealed" }.map { file in
      (file: file, date: try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate ?? .distantPast)
    }
    guard let last = sealed.max(by: { $0.date < $1.date }) else { throw UnexpectedResult("the store is empty") }
    try FileManager.default.removeItem(at: last.file)
  }
}
