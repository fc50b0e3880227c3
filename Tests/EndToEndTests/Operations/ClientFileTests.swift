import BrowserDriver
import Foundation
import Hummingbird
import SallyportAsyncHTTPClient
import SallyportProtocol
import SocketTestSupport
import Testing

extension EndToEndTests {
  @Suite struct ClientFileTests {
    private struct Row: Decodable {
      var clientID: String
      var result: String
      var clientSecret: String?

      private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case result
        case clientSecret = "client_secret"
      }
    }

    private func withHome(_ body: (ServerHome, _ file: String) async throws -> Void) async throws {
      try await withTemporaryFolder { folder in
        let home = ServerHome(folder: folder, issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        try await body(home, "\(folder)/clients.json")
      }
    }

    private func rows(_ finished: CommandResult) throws -> [Row] {
      try JSONDecoder().decode([Row].self, from: Data(finished.output.utf8))
    }

    private static let clients = """
      [
        {"client_id": "notes", "client_name": "Notes", "first_party": true,
         "redirect_uris": ["com.example.app:/cb", "http://127.0.0.1/cb"], "apple_app_ids": ["ABCDE12345.com.example.app"]},
        {"client_id": "web", "client_name": "Web", "application_type": "web", "redirect_uris": ["https://web.example/cb"],
         "backchannel_logout_uri": "https://web.example/out", "token_endpoint_auth_method": "client_secret_post"},
        {"client_id": "nightly", "grant_types": ["client_credentials"], "client_secret": "a secret of at least 22 characters",
         "audiences": ["https://api.example/"]}
      ]
      """

    @Test(
      "S-10: clients are imported from a file, a second import changes nothing, and a changed client gets no new secret")
    func imports() async throws {
      try await self.withHome { home, file in
        try Self.clients.write(toFile: file, atomically: true, encoding: .utf8)
        let dry = try self.rows(try await home.runCommand(["client", "import", file, "--dry-run", "--json"]))
        #expect(dry.map(\.result) == ["added", "added", "added"] && dry.allSatisfy { $0.clientSecret == nil })
        let first = try self.rows(try await home.runCommand(["client", "import", file, "--json"]))
        #expect(first.map(\.clientID) == ["notes", "web", "nightly"] && first.allSatisfy { $0.result == "added" })
        #expect(first.map { $0.clientSecret == nil } == [true, false, true], "only a generated secret is shown")
        let again = try self.rows(try await home.runCommand(["client", "import", file, "--json"]))
        #expect(again.allSatisfy { $0.result == "unchanged" && $0.clientSecret == nil })
        try Self.clients.replacing("\"Web\"", with: "\"Web 2\"").write(toFile: file, atomically: true, encoding: .utf8)
        let changed = try self.rows(try await home.runCommand(["client", "import", file, "--json"]))
        #expect(changed.map(\.result) == ["unchanged", "changed", "unchanged"])
        #expect(changed.allSatisfy { $0.clientSecret == nil })
        #expect(try await home.runCommand(["client", "show", "web"]).output.contains("Web 2"))
        let notes = try await home.runCommand(["client", "show", "notes", "--json"]).output
        #expect(notes.contains(#""application_type" : "native""#), "the type follows from the redirect URIs: \(notes)")
        for command in [["client", "list", "--json"], ["client", "show", "web", "--json"]] {
          try await home.runCommand(command).output.write(toFile: file, atomically: true, encoding: .utf8)
          let exported = try self.rows(try await home.runCommand(["client", "import", file, "--json"]))
          #expect(!exported.isEmpty && exported.allSatisfy { $0.result == "unchanged" }, "\(command)")
        }
      }
    }

    @Test("all mistakes in a file of clients are reported at once, and nothing is imported")
    func mistakes() async throws {
      try await self.withHome { home, file in
        let text = """
          [{"client_id": "good", "client_name": "Good", "application_type": "native", "redirect_uris": ["http://127.0.0.1/cb"]},
           {"client_id": "a", "application_type": "native", "redirect_uris": ["myapp:/cb", "http://a.example/cb"]},
           {"client_id": "a", "application_type": "phone", "redirect_uris": []},
           {"client_id": "c", "redirect_uris": ["https://c.example/cb"], "subject_type": "pairwise"},
           {"client_id": "d", "redirect_uris": ["https://d.example/cb"], "require_signed_request_object": true},
           {"client_id": "e", "redirect_uris": ["https://e.example/cb", "http://127.0.0.1/cb"]},
           {"client_id": "f", "redirect_uris": ["https://f.example/cb"], "response_types": ["token"]},
           {"client_id": "g", "redirect_uris": ["https://g.example/cb"], "request_uris": ["http://g.example/r"]},
           {"client_id": "h", "redirect_uris": ["https://h.example/cb"], "token_endpoint_auth_method": "private_key_jwt",
            "jwks_uri": "https://h.example/jwks", "require_pushed_authorization_requests": true,
            "dpop_bound_access_tokens": true, "token_endpoint_auth_signing_alg": "RS256"},
           {"client_id": "b", "redirect_uri": ["https://b.example/cb"]}, {"client_id": 5}, 7,
           {"client_id": "i", "redirect_uris": ["https://i.example/cb"], "android_apps": [{}]}]
          """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let command = ChildCommand(BuildFolder.command("sallyportd"), ["client", "import", file, "--data", home.data])
        let finished = try await run(command, folder: home.folder)
        #expect(finished.status == .exited(1) && finished.output.isEmpty)
        for mistake in [
          "a: redirect_uris myapp:/cb", "a: redirect_uris http://a.example/cb", "a: application_type",
          "a: client_id: occurs twice",
          "c: subject_type", "d: jwks", "e: application_type", "f: response_types", "g: request_uris",
          "h: token_endpoint_auth_signing_alg: must be PS256", "b: redirect_uri: not a property",
          "client 11: client_id: the value has the wrong type", "client 12: must be a JSON object",
          "i: android_apps.package: the member is missing",
        ] {
          #expect(finished.errorOutput.contains(mistake), "\(mistake) in \(finished)")
        }
        #expect(try await home.runCommand(["client", "list"]).output.isEmpty)
      }
    }

    @Test(
      "S-32: if two clients use the same scheme, the operator is warned when the second client is added and when the server starts"
    )
    func sharedScheme() async throws {
      try await withServer(clients: [.scheme]) { home in
        let added = try await home.runCommand([
          "client", "add", "--client-id", "second", "--name", "Second", "--redirect-uri", "com.example.app:/second",
        ])
        #expect(added.errorOutput.contains("warning: the scheme com.example.app is used by several clients (scheme, second)"))
        let other = try await home.runCommand([
          "client", "add", "--client-id", "third", "--name", "Third", "--redirect-uri", "com.example.third:/cb",
        ])
        #expect(!other.errorOutput.contains("warning"))
        // A second server on the same data prints the warning when it starts.
        var next = home
        next.port = try freePort()
        next.issuer = "http://localhost:\(next.port)"
        let server = try await next.serve()
        defer { server.end() }
        try await eventually("the warning") { server.errorOutput.contains("com.example.app") ? () : nil }
      }
    }

    @Test("when a user of an app signs out, the server sends a logout token to the app's loopback URL")
    func backChannelLogout() async throws {
      let (forms, continuation) = AsyncStream.makeStream(of: String.self)
      try await SocketTestSupport.withServer { router in
        router.post("/out") { request, _ in
          continuation.yield(String(buffer: try await request.body.collect(upTo: 1 << 16)))
          return Response(status: .ok)
        }
      } _: { port in
        try await withServer(clients: []) { home in
          try await home.runCommand([
            "client", "add", "--client-id", "notes", "--name", "Notes", "--redirect-uri", TestClient.notes.redirectURIs[0],
            "--backchannel-logout-uri", "http://127.0.0.1:\(port)/out",
          ])
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(.notes, at: home, transport: transport)
            let browser = HTTPBrowser(issuer: home.issuer, transport: transport)
            let pending = try app.begin()
            let location = try await browser.authorize(pending.url, as: home.account)
            _ = try await app.redeem(app.code(in: location, for: pending), for: pending)
            try await browser.signOut()
            let form = try FormParameters(parsing: try #require(await forms.first { _ in true }))
            #expect(form["logout_token"]?.split(separator: ".").count == 3)
          }
        }
      }
    }
  }
}
