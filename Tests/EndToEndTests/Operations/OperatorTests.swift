import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  @Suite struct OperatorTests {
    @Test("only the owner can access the data folder and the files in it")
    func permissions() async throws {
      try await withServer(clients: [.notes]) { server in
        let files = try #require(FileManager.default.enumerator(atPath: server.data)?.compactMap { $0 as? String })
        #expect(files.count >= 2, "the folder must contain a database and a key: \(files)")
        for path in [server.data] + files.map({ "\(server.data)/\($0)" }) {
          let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
          #expect((mode ?? -1) & 0o077 == 0, "\(path) has mode \(String(mode ?? -1, radix: 8))")
        }
      }
    }

    @Test("after a key rotation while the server runs, tokens that the old key signed stay valid, and the new key is published")
    func keyRotation() async throws {
      try await withServer(clients: [.claimedHTTPS]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.claimedHTTPS, at: server, transport: transport)
          let browser = HTTPBrowser(issuer: server.issuer, transport: transport)
          let pending = try app.begin()
          let location = try await browser.authorize(pending.url, as: server.account)
          let tokens = try await app.redeem(app.code(in: location, for: pending), for: pending).body
          let before = try await app.publishedKeys()
          try await server.runCommand(["key", "rotate"])
          try await eventually("the new key to be published") {
            try await Set(app.publishedKeys()).isStrictSuperset(of: before) ? () : nil
          }
          #expect(try await app.userinfoStatus(#require(tokens.accessToken)) == 200)
          let refreshed = try await app.refresh(#require(tokens.refreshToken))
          #expect(try await app.userinfoStatus(#require(refreshed.body.accessToken)) == 200)
        }
      }
    }

    @Test("an operator who verifies an email address that another user has is warned")
    func sharedAddress() async throws {
      try await withServer(clients: []) { server in
        let options = ["--email", "ada@example.com", "--email-verified"]
        #expect(try await !server.runCommand(["user", "edit", "ada"] + options).errorOutput.contains("warning"))
        try await server.runCommand(["user", "invite", "bob"])
        let edited = try await server.runCommand(["user", "edit", "bob"] + options)
        #expect(edited.errorOutput.contains("warning: the users ada, bob have the same verified email address"))
      }
    }

    @Test("after SIGTERM, the server exits with 0 and leaves a complete database file, and it starts again with the same data")
    func stops() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let home = ServerHome(folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port)
        for _ in 0..<2 {
          let server = try await home.serve()
          server.signal(SIGTERM)
          let finished = try await server.finish(within: .seconds(10))
          #expect(finished.status == .exited(0), "\(finished)")
          // A remaining write-ahead log could contain commits that the database file lacks.
          #expect(!FileManager.default.fileExists(atPath: "\(folder)/data/sallyport.db-wal"))
        }
      }
    }

    @Test(
      "S-33: the server does not start with an issuer that is not an https or loopback URL, or that browsers spell differently",
      arguments: [
        "http://login.example", "https://Login.example", "https://login.example:443", "http://localhost:80", "login.example",
      ])
    func wrongIssuer(issuer: String) async throws {
      try await withTemporaryFolder { folder in
        let finished = try await run(
          ChildCommand(
            BuildFolder.command("sallyportd"),
            ["serve", "--data", "\(folder)/data", "--issuer", issuer, "--port", "\(freePort())"]), folder: folder)
        #expect(finished.status == .exited(2), "\(finished)")
      }
    }
  }
}
