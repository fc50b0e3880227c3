import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct ServerConfigurationTests {
    @Test("login --server-config signs in at a server without metadata, and later commands don't need the file")
    func withoutMetadata() async throws {
      try await withProvider(secret: "s3cret") { provider in
        try await withUser { user in
          let config = """
            {"issuer": "\(provider.issuer)", "discovery": false, "authorization_endpoint": "\(provider.issuer)/authorize",
             "token_endpoint": "\(provider.issuer)/token", "token_endpoint_auth_methods_supported": ["client_secret_post"]}
            """
          let file = "\(user.folder)/server.json"
          let secret = "\(user.folder)/secret"
          try config.write(toFile: file, atomically: true, encoding: .utf8)
          try "s3cret".write(toFile: secret, atomically: true, encoding: .utf8)
          let options = ["--client-id", "notes", "--scope", "repo"] + HTTPProvider.browserOptions
          let login = try await run(
            user.command(["login", "--server-config", file, "--client-secret-file", secret] + options), folder: user.folder)
          #expect(login.status == .exited(0), "\(login)")
          try FileManager.default.removeItem(atPath: file)
          let token = try await user.sallyport("token", "--refresh")
          #expect(token.status == .exited(0) && token.line == "access-notes", "\(token)")
          let again = try await run(user.command(["login"] + HTTPProvider.browserOptions), folder: user.folder)
          #expect(again.status == .exited(0), "\(again)")
          #expect(try provider.received("/.well-known/openid-configuration").isEmpty)
          #expect(try provider.received("/.well-known/oauth-authorization-server").isEmpty)
        }
      }
    }

    @Test("without a client identifier, sallyport registers itself with the loopback host that the configuration file names")
    func registration() async throws {
      try await withProvider { provider in
        try await withUser { user in
          let config = """
            {"issuer": "\(provider.issuer)", "discovery": false, "authorization_endpoint": "\(provider.issuer)/authorize",
             "token_endpoint": "\(provider.issuer)/token", "registration_endpoint": "\(provider.issuer)/register",
             "token_endpoint_auth_methods_supported": ["none"], "loopback_host": "localhost"}
            """
          let file = "\(user.folder)/server.json"
          try config.write(toFile: file, atomically: true, encoding: .utf8)
          let options = ["--scope", "repo"] + HTTPProvider.browserOptions
          let login = try await run(user.command(["login", "--server-config", file] + options), folder: user.folder)
          #expect(login.status == .exited(0), "\(login)")
          try FileManager.default.removeItem(atPath: file)
          let token = try await user.sallyport("token", "--refresh")
          #expect(token.status == .exited(0) && token.line == "access-registered", "\(token)")
          let again = try await run(user.command(["login"] + HTTPProvider.browserOptions), folder: user.folder)
          #expect(again.status == .exited(0), "\(again)")
          #expect(try provider.received("/register").count == 1)
          #expect(try provider.received("/.well-known/oauth-authorization-server").isEmpty)
          let requests = try provider.received("/authorize")
          #expect(requests.count == 2)
          #expect(requests.allSatisfy { $0.parameters["redirect_uri"]?.hasPrefix("http://localhost:") == true }, "\(requests)")
        }
      }
    }

    @Test(
      "an invalid server configuration is a usage error that says what is wrong",
      arguments: [
        ("", "JSON object"), ("[]", "JSON object"), ("{}", "\"issuer\""),
        (#"{"issuer":"https://id.example","discovery":false}"#, "authorization_endpoint"),
        (#"{"issuer":"https://id.example","discovery":7}"#, "discovery"),
        (#"{"issuer":"https://id.example","token_endpoint":"http://evil.example/"}"#, "token_endpoint"),
        (#"{"issuer":"https://id.example","token_endpoint":7}"#, "token_endpoint"),
        (#"{"issuer":"https://id.example","loopback_host":"id.example"}"#, "loopback_host"),
      ])
    func invalid(json: String, words: String) async throws {
      try await withUser { user in
        let file = "\(user.folder)/server.json"
        try json.write(toFile: file, atomically: true, encoding: .utf8)
        let refused = try await user.sallyport("login", "--server-config", file, "--client-id", "a", "--browser", "/bin/true")
        #expect(refused.status == .exited(2) && refused.errorOutput.contains(words), "\(refused)")
      }
    }

    @Test(
      "a provider that rejects loopback redirect URIs, missing or contradictory options, and an unreadable file are usage errors")
    func providers() async throws {
      try await withUser { user in
        for (options, words) in [
          (["--provider", "apple"], "loopback redirect"), (["--provider", "slack"], "loopback redirect"),
          (["--provider", "google"], "--client-id"), (["--provider", "google", "--issuer", "https://id.example"], "--provider"),
          (["--provider", "google", "--server-config", "/dev/null"], "--provider"),
          (["--server-config", "/missing", "--client-id", "a"], "cannot be read"),
        ] {
          let refused = try await run(user.command(["login", "--browser", "/bin/true"] + options), folder: user.folder)
          #expect(refused.status == .exited(2) && refused.errorOutput.contains(words), "\(refused)")
        }
      }
    }
  }
}
