import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

/// Tests `sallyport` with the server of another project: sign-in, token, refresh, whoami, and logout.
struct RoundTripAtPeer {
  /// The results of the commands.
  struct Outcome {
    var tokens: [String] = []
    var user: User
    /// Whether the server confirmed that the tokens are revoked.
    var revoked: Bool
  }

  struct User: Decodable {
    var sub: String?
    var name: String?
    var source: String?
  }

  private struct Logout: Decodable { var revoked: Bool }

  var name: String
  var issuer: String
  /// The URL of the userinfo endpoint.
  var userinfo: String
  /// The arguments of `sallyport login`.
  var arguments: [String]
  /// The number of refreshes. It must be 1 for a server that returns the same access token to all refreshes in one
  /// second, and that revokes the previous access token at each refresh. At such a server, the second refresh would
  /// revoke the token that it returns.
  var refreshes = 2

  /// Signs in, runs the other commands, and makes the checks that are the same for every server.
  /// - Parameter pages: Signs in and consents on the server's pages, after the browser has opened the sign-in URL.
  func signIn(_ pages: (Browser) async throws -> Void) async throws -> Outcome {
    try await withUser { user in
      let login = try await user.beginLogin(["--issuer", self.issuer] + self.arguments)
      defer { login.process.end() }
      try await withTestBrowser(self.name) { browser in
        try await browser.open(login.url)
        try await pages(browser)
        let finished = try await login.process.finish()
        guard finished.status == .exited(0) else { throw UnexpectedResult("sallyport login: \(finished)") }
      }
      var outcome = Outcome(
        user: try Self.decode(User.self, from: try await user.sallyport("whoami", "--json")), revoked: false)
      for arguments in [["token"]] + Array(repeating: ["token", "--refresh"], count: self.refreshes) + [["token"]] {
        let finished = try await run(user.command(arguments), folder: user.folder)
        guard finished.status == .exited(0) else { throw UnexpectedResult("sallyport \(arguments): \(finished)") }
        outcome.tokens.append(finished.line)
      }
      #expect(Set(outcome.tokens).count == self.refreshes + 1, "each refresh returns a new token")
      let token = try #require(outcome.tokens.last)
      #expect(outcome.tokens.dropLast().last == token, "the token of a refresh is stored")
      #expect(try await self.userinfoStatus(token) == 200)
      outcome.revoked = try Self.decode(Logout.self, from: try await user.sallyport("logout", "--json")).revoked
      #expect(try await self.userinfoStatus(token) == (outcome.revoked ? 401 : 200))
      #expect(try await user.sallyport("token").status == .exited(3))
      return outcome
    }
  }

  /// Requests user information with an access token, and returns the status of the response.
  private func userinfoStatus(_ token: String) async throws -> Int {
    try await AsyncHTTPClientTransport.withTransport { transport in
      var request = HTTPRequest.get(try EndpointURL(self.userinfo))
      request.headerFields[.authorization] = "Bearer \(token)"
      return try await transport.send(request, body: [], limits: .document).head.status.code
    }
  }

  private static func decode<T: Decodable>(_ type: T.Type, from finished: CommandResult) throws -> T {
    guard finished.status == .exited(0) else { throw UnexpectedResult("\(finished)") }
    return try JSONDecoder().decode(type, from: Data(finished.output.utf8))
  }
}
