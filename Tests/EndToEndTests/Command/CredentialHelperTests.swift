import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct CredentialHelperTests {
    @Test("git gets the token only for the specified host, over https")
    func git() async throws {
      try await withSignedInUser { user, _ in
        let token = try await user.sallyport("token").line
        let filled = try await Self.git(user, asking: "protocol=https\nhost=git.example.com\n")
        #expect(filled.status == .exited(0), "\(filled)")
        #expect(filled.output.contains("password=\(token)\n") && filled.output.contains("username=oauth2\n"), "\(filled)")

        for other in [
          "protocol=https\nhost=evil.example\n", "protocol=http\nhost=git.example.com\n",
          "protocol=https\nhost=git.example.com.evil.example\n", "protocol=https\nhost=git.example.com:8443\n",
        ] {
          let refused = try await Self.git(user, asking: other)
          #expect(refused.status != .exited(0) && !refused.output.contains(token), "\(refused)")
        }
      }
    }

    @Test("a git version that supports bearer tokens gets a bearer token with its expiration time")
    func bearer() async throws {
      try await withSignedInUser { user, _ in
        let request = "capability[]=authtype\nprotocol=https\nhost=git.example.com\nwwwauth[]=Bearer\n\n"
        let finished = try await Self.helper(user, "get", request)
        let token = try await user.sallyport("token").line
        #expect(finished.status == .exited(0), "\(finished)")
        let lines = finished.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["capability[]=authtype", "authtype=Bearer", "credential=\(token)"])
        // Seconds since 1970: the number begins with 1 until 2033, and then with 2.
        #expect(lines.contains { $0.hasPrefix("password_expiry_utc=1") || $0.hasPrefix("password_expiry_utc=2") })
      }
    }

    @Test(
      "'erase' with the current token makes the next command get a new token; 'erase' with another token has no effect"
    )
    func erase() async throws {
      try await withSignedInUser { user, _ in
        let token = try await user.sallyport("token").line
        let host = "protocol=https\nhost=git.example.com\n"
        // The helper ignores `store`, because the command already stores its tokens.
        #expect(try await Self.helper(user, "store", host + "password=\(token)\n").status == .exited(0))
        #expect(try await Self.helper(user, "erase", host + "password=another\n").status == .exited(0))
        #expect(try await user.sallyport("token").line == token)
        #expect(try await Self.helper(user, "erase", host + "password=\(token)\n").status == .exited(0))
        #expect(try await user.sallyport("token").line != token)
      }
    }

    @Test(
      "an invalid git request gets no token", arguments: ["", "host", "host=git.example.com", "\u{0}\n", "protocol=https"])
    func garbage(_ input: String) async throws {
      try await withSignedInUser { user, _ in
        let finished = try await Self.helper(user, "get", input)
        #expect(finished.status == .exited(0) && finished.output.isEmpty, "\(finished)")
      }
    }

    @Test("kubectl gets an ExecCredential in the requested version, or in v1 if the requested version is missing or unknown")
    func kubectl() async throws {
      struct ExecCredential: Decodable {
        struct Status: Decodable {
          var token: String
          var expirationTimestamp: String?
        }
        var apiVersion: String
        var kind: String
        var status: Status
      }
      try await withSignedInUser { user, _ in
        var user = user
        let token = try await user.sallyport("token").line
        for (requested, expected) in [(nil, "v1"), ("v1beta1", "v1beta1"), ("v1", "v1"), ("v9", "v1"), ("\"", "v1")] {
          user.environment["KUBERNETES_EXEC_INFO"] = requested.map {
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/\($0)\",\"spec\":{\"interactive\":false}}"
          }
          let printed = try await user.sallyport("token", "--output", "kubectl")
          let credential = try JSONDecoder().decode(ExecCredential.self, from: Data(printed.output.utf8))
          #expect(credential.apiVersion == "client.authentication.k8s.io/\(expected)" && credential.kind == "ExecCredential")
          #expect(credential.status.token == token)
          let expiration = try Date(#require(credential.status.expirationTimestamp), strategy: .iso8601)
          // The server's access tokens are valid for 600 seconds.
          #expect((60...700).contains(expiration.timeIntervalSinceNow))
        }
      }
    }

    @Test("'token' prints the ID token by itself or as an ExecCredential for kubectl, and a refresh replaces it")
    func idToken() async throws {
      struct Claims: Decodable { var aud: String, iss: String, exp: Double, iat: Double }
      struct ExecCredential: Decodable {
        struct Status: Decodable { var token: String, expirationTimestamp: String }
        var status: Status
      }
      try await withSignedInUser { user, server in
        let access = try await user.sallyport("token").line
        let printed = try await user.sallyport("token", "--output", "id-token")
        #expect(printed.status == .exited(0) && printed.line != access, "\(printed)")
        let payload = try #require(printed.line.split(separator: ".").dropFirst().first)
        let padded = payload.replacing("-", with: "+").replacing("_", with: "/")
        let json = try #require(Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
        let claims = try JSONDecoder().decode(Claims.self, from: json)
        #expect(claims.aud == "notes" && claims.iss == server.issuer)
        let kubectl = try await user.sallyport("token", "--output", "kubectl-id-token")
        let credential = try JSONDecoder().decode(ExecCredential.self, from: Data(kubectl.output.utf8))
        #expect(credential.status.token == printed.line)
        #expect(try Date(credential.status.expirationTimestamp, strategy: .iso8601).timeIntervalSince1970 == claims.exp)
        let refreshed = try await user.sallyport("token", "--refresh", "--output", "id-token")
        #expect(refreshed.status == .exited(0) && refreshed.line != printed.line, "\(refreshed)")
      }
    }

    /// Runs the credential helper as git does.
    /// - Parameters:
    ///   - operation: `get`, `store`, or `erase`.
    ///   - input: The attributes that git passes to the helper.
    private static func helper(_ user: UserHome, _ operation: String, _ input: String) async throws -> CommandResult {
      var command = user.command(["credential-helper", "git", "--host", "git.example.com", operation])
      command.input = Array(input.utf8)
      return try await run(command, folder: user.folder)
    }

    /// Makes git request a password from the credential helper, as `git fetch` does.
    private static func git(_ user: UserHome, asking input: String) async throws -> CommandResult {
      var user = user
      user.environment["GIT_TERMINAL_PROMPT"] = "0"
      user.environment["GIT_CONFIG_NOSYSTEM"] = "1"
      let helper = "!'\(BuildFolder.command("sallyport"))' credential-helper git --host git.example.com"
      let command = ChildCommand(
        "/usr/bin/git", ["-C", user.folder, "-c", "credential.helper=\(helper)", "credential", "fill"],
        environment: user.environment,
        input: Array("\(input)\n".utf8))
      return try await run(command, folder: user.folder)
    }
  }
}

/// Runs `body` with a user who is signed in at a server.
private func withSignedInUser(
  isolation: isolated (any Actor)? = #isolation, _ body: (UserHome, ServerHome) async throws -> Void
) async throws {
  try await withServer(clients: [.notes]) { server in
    try await withUser { user in
      let login = try await user.beginLogin(server, .notes)
      defer { login.process.end() }
      try await signInWithoutBrowser(login, at: server)
      try await body(user, server)
    }
  }
}
