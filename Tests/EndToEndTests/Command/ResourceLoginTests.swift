import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct ResourceLoginTests {
    @Test(
      "C-34: the URL of an API is sufficient to sign in, and 'sallyport request' does not send the API's token to the authorization server"
    )
    func resource() async throws {
      try await withServer(clients: []) { server in
        try await withAPI(of: server) { api in
          try await withUser { user in
            try await ProfilesTests.signIn(user, nil, ["--resource", api.url], at: server)
            let accounts = try await user.sallyport("accounts")
            #expect(accounts.line.hasSuffix("\t\(api.url)\tada"), "\(accounts)")
            let whoami = try await user.sallyport("whoami")
            #expect(whoami.status == .exited(0) && whoami.output.contains("ada"), "\(whoami)")

            let token = try await user.sallyport("token").line
            let received = try await Self.request(user, [api.url])
            #expect(received.scheme == "Bearer" && received.token == token && !received.proof && received.method == "GET")
            let posted = try await Self.request(user, ["--data", "{\"a\":1}", api.url])
            #expect(posted.method == "POST" && posted.contentType == "application/json" && posted.body == "{\"a\":1}")
            let elsewhere = try await user.sallyport("request", "\(server.issuer)/userinfo")
            #expect(elsewhere.status == .exited(1) && elsewhere.output.isEmpty, "\(elsewhere)")
            // The API responds with the status in `X-Status`.
            for (status, code) in [("404", Int32(1)), ("503", 5), ("401", 3)] {
              let finished = try await user.sallyport("request", "-H", "X-Status: \(status)", api.url)
              #expect(finished.status == .exited(code), "\(finished)")
            }
            // The options of the first sign-in need not be repeated.
            try await ProfilesTests.signIn(user, nil, [], at: server)
            #expect(try await user.sallyport("accounts").line == accounts.line)
          }
        }
      }
    }

    @Test("a DPoP-bound token is printed only with --json, and 'sallyport request' sends it with a proof")
    func bound() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withAPI(of: server) { api in
          try await withUser { user in
            let arguments = ["--client-id", "notes", "--resource", api.url, "--dpop"]
            try await ProfilesTests.signIn(user, server, arguments)
            for arguments in [["token"], ["token", "--output", "kubectl"]] {
              let token = try await run(user.command(arguments), folder: user.folder)
              #expect(token.status == .exited(1) && token.output.isEmpty && token.errorOutput.contains("sallyport request"))
            }
            #expect(try await user.sallyport("token", "--json").output.contains("\"token_type\":\"DPoP\""))
            let received = try await Self.request(user, [api.url])
            #expect(received.scheme == "DPoP" && received.proof)
            try await ProfilesTests.signIn(user, nil, ["--no-dpop"], at: server)
            #expect(try await Self.request(user, [api.url]).scheme == "Bearer")
          }
        }
      }
    }

    @Test("C-21: without a client ID, the installation registers itself once, and logout --unregister deletes the registration")
    func registers() async throws {
      try await withServer(clients: []) { server in
        try await withUser { user in
          try await ProfilesTests.signIn(user, server, [])
          try await ProfilesTests.signIn(user, server, ["--profile", "work"])
          let clients = try await server.runCommand(["client", "list"]).output.split(separator: "\n")
          #expect(clients.count == 1, "\(clients)")
          #expect(try await user.sallyport("token", "--refresh").status == .exited(0))

          let logout = try await user.sallyport("logout", "--unregister", "--json")
          #expect(logout.status == .exited(0) && logout.output.contains("\"unregistered\":true"), "\(logout)")
          #expect(try await server.runCommand(["client", "list"]).output.isEmpty)
          #expect(try await user.sallyport("token").status == .exited(3))
          #expect(try await user.sallyport("accounts", "--json").line == "[]")
          // The registration no longer exists.
          #expect(try await user.sallyport("logout", "--unregister", "--issuer", server.issuer).status == .exited(1))
        }
      }
    }

    @Test("an initial access token is read from a file or the environment, and an error names the option if the token is missing")
    func initialAccessToken() async throws {
      try await withServer(clients: [], arguments: ["--registration", "token"]) { server in
        let token = try await server.runCommand(["client", "token", "add", "--label", "test", "--uses", "2"]).line
        try await withUser { user in
          let withoutFile = try await user.sallyport("login", "--issuer", server.issuer, "--browser", "/bin/true")
          #expect(
            withoutFile.status == .exited(1) && withoutFile.errorOutput.contains("--initial-access-token-file"), "\(withoutFile)")
          let file = "\(user.folder)/token"
          try "\(token)\n".write(toFile: file, atomically: true, encoding: .utf8)
          try await ProfilesTests.signIn(user, server, ["--initial-access-token-file", file])
        }
        try await withUser { user in
          var user = user
          user.environment["SALLYPORT_INITIAL_ACCESS_TOKEN"] = token
          try await ProfilesTests.signIn(user, server, [])
        }
        let withoutToken = try await withUser { user in
          try await user.sallyport("login", "--issuer", server.issuer, "--browser", "/bin/true")
        }
        #expect(withoutToken.status == .exited(1))
      }
    }

    /// Sends a request with `sallyport request`, and returns what the API received.
    private static func request(_ user: UserHome, _ arguments: [String]) async throws -> HTTPAPI.ReceivedRequest {
      let finished = try await run(user.command(["request"] + arguments), folder: user.folder)
      guard finished.status == .exited(0) else { throw UnexpectedResult("\(finished)") }
      return try JSONDecoder().decode(HTTPAPI.ReceivedRequest.self, from: Data(finished.output.utf8))
    }
  }
}
