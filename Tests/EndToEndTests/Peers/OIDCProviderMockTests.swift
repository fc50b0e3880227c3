import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct OIDCProviderMockTests {
    /// How `sallyport` gets its client identifier and secret.
    enum Client: CaseIterable {
      /// `sallyport` registers itself. It gets a secret, because the server's metadata lists no authentication methods,
      /// and the default is `client_secret_basic` (RFC 8414 §2).
      case registered
      /// The user chooses a client identifier and a secret. The server accepts any values.
      case chosen
    }

    @Test(
      "sallyport signs in at oidc-provider-mock, refreshes twice, and reports that it could not revoke the tokens",
      arguments: Client.allCases)
    func server(client: Client) async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let issuer = "http://localhost:\(port)"
        let user = #"{"sub": "ada", "name": "Ada Lovelace"}"#
        let registration = client == .registered ? ["--require-registration"] : []
        let command = ChildCommand(
          "\(Peers.folder ?? "")/venv/bin/oidc-provider-mock", ["--port", "\(port)", "--user-claims", user] + registration)
        let server = try await Peers.start(command, folder: folder, at: "\(issuer)/.well-known/openid-configuration")
        defer { server.end() }
        let outcome = try await RoundTripAtPeer(
          name: "oidc-provider-mock", issuer: issuer, userinfo: "\(issuer)/userinfo",
          arguments: try Self.arguments(client, folder: folder)
        ).signIn { browser in
          try await browser.wait(for: "the sign-in page") { try await !$0.findAll("button[name=sub][value=ada]").isEmpty }
          try await browser.click("button[name=sub][value=ada]")
        }
        #expect(outcome.user.sub == "ada" && outcome.user.name == "Ada Lovelace", "\(outcome)")
        #expect(outcome.user.source == "userinfo" && !outcome.revoked, "\(outcome)")
      }
    }

    private static func arguments(_ client: Client, folder: String) throws -> [String] {
      switch client {
      case .registered:
        // The server accepts only the port of the registered redirect URI.
        return ["--redirect-uri", "http://127.0.0.1:\(try freePort())/oauth2redirect/localhost"]
      case .chosen:
        let secret = "\(folder)/client-secret"
        try "any".write(toFile: secret, atomically: true, encoding: .utf8)
        return ["--client-id", "notes", "--client-secret-file", secret]
      }
    }
  }
}
