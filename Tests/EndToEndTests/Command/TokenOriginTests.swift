import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct TokenOriginTests {
    @Test("with --dpop, an account with its own registration gets a bound token, and rejects a bearer token at a refresh")
    func boundRegistration() async throws {
      try await withProvider { provider in
        try await withUser { user in
          let login = try await user.sallyport(
            ["login", "--issuer", provider.issuer, "--dpop", "--token-origin", "https://api.example", "--scope", "repo"]
              + HTTPProvider.browserOptions)
          #expect(login.status == .exited(0), "\(login)")
          #expect(try provider.received("/register").count == 1)
          let token = try await user.sallyport("token", "--json")
          #expect(token.status == .exited(0) && token.output.contains("DPoP"), "\(token)")
          let refreshed = try await user.sallyport("token", "--json", "--refresh")
          #expect(refreshed.status == .exited(1) && refreshed.output.isEmpty, "\(refreshed)")
          #expect(try provider.received("/token").count == 2)
        }
      }
    }

    @Test(
      "C-34: --dpop requires an option that names an API, such as --token-origin, and 'sallyport request' does not send the token to the authorization server"
    )
    func bound() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withAPI(of: server) { api in
          try await withUser { user in
            let opened = "\(user.folder)/opened"
            try user.addProgram("open", "touch '\(opened)'")
            let withoutAPI = try await user.sallyport(
              "login", "--issuer", server.issuer, "--client-id", "notes", "--dpop", "--browser", "open")
            #expect(withoutAPI.status == .exited(2) && withoutAPI.errorOutput.contains("--token-origin"), "\(withoutAPI)")
            #expect(!FileManager.default.fileExists(atPath: opened))
            let bothOptions = try await user.sallyport("login", "--resource", api.url, "--token-origin", api.url)
            #expect(bothOptions.status == .exited(2), "\(bothOptions)")

            let options = ["--client-id", "notes", "--dpop", "--token-origin", api.url]
            try await ProfilesTests.signIn(user, server, options)
            try await Self.expectBound(user, api)
            let toServer = try await user.sallyport("request", "\(server.issuer)/userinfo")
            #expect(toServer.status == .exited(1) && toServer.output.isEmpty, "\(toServer)")
            // A second sign-in without options uses the options of the first.
            try await ProfilesTests.signIn(user, nil, [], at: server)
            try await Self.expectBound(user, api)
          }
        }
      }
    }

    @Test("C-34: git gets the token for the host that --token-origin names, and not for another host")
    func git() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withAPI(of: server) { api in
          try await withUser { user in
            try await ProfilesTests.signIn(user, server, ["--client-id", "notes", "--token-origin", api.url])
            let port = try #require(URL(string: api.url)?.port)
            for (host, scheme, getsToken) in [("127.0.0.1:\(port)", "http", true), ("git.example.com", "https", false)] {
              var command = user.command(["credential-helper", "git", "--host", host, "get"])
              command.input = Array("protocol=\(scheme)\nhost=\(host)\n\n".utf8)
              let finished = try await run(command, folder: user.folder)
              #expect(finished.output.contains("password=") == getsToken, "\(finished)")
            }
          }
        }
      }
    }

    /// Checks that `sallyport request` sends the API a DPoP-bound token with a proof.
    private static func expectBound(_ user: UserHome, _ api: HTTPAPI) async throws {
      let finished = try await user.sallyport("request", api.url)
      #expect(finished.status == .exited(0), "\(finished)")
      let received = try JSONDecoder().decode(HTTPAPI.ReceivedRequest.self, from: Data(finished.output.utf8))
      #expect(received.scheme == "DPoP" && received.proof)
    }
  }
}
