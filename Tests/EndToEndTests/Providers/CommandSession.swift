import BrowserDriver
import Foundation
import QuirkServer
import SallyportProtocol
import Testing

/// A user who runs `sallyport` with a provider.
struct CommandSession: Sendable {
  let scenario: CommandScenario
  let user: UserHome
  let site: QuirkSite

  /// Runs the provider's servers while `body` runs. A client whose redirect URI must match exactly gets a redirect URI
  /// on loopback with a free port.
  static func run(
    _ scenario: CommandScenario, _ body: @escaping @Sendable (CommandSession) async throws -> Void
  ) async throws {
    var scenario = scenario
    var client = scenario.provider.client
    if client.redirectMatching == .exact {
      // Cognito allows http redirect URIs only for localhost (see Cognito.md).
      let host = scenario.provider.name == "Cognito" ? "localhost" : "127.0.0.1"
      client.redirectURIs = ["http://\(host):\(try freePort())/callback"]
    }
    scenario.provider.client = client
    // The registered redirect URIs of providers that accept any port have port 49152. Without a port, `sallyport`
    // chooses a free one.
    let redirectURI = client.redirectURIs[0].replacing(":49152", with: "")
    scenario.server += ["--redirect-uri", redirectURI]
    let final = scenario
    try await withQuirkSite(final.provider) { user, site in
      try await body(CommandSession(scenario: final, user: user, site: site))
    }
  }

  /// Runs a command that must exit with this code.
  @discardableResult
  func expect(_ code: Int32, _ arguments: [String]) async throws -> CommandResult {
    let finished = try await self.user.sallyport(arguments)
    guard finished.status == .exited(code) else {
      throw UnexpectedResult("sallyport \(arguments) did not exit with \(code): \(finished)")
    }
    return finished
  }

  /// Signs in with a browser.
  /// - Parameter method: The options of `sallyport login` that select the browser.
  func signIn(_ method: [String]) async throws {
    try await self.expect(0, ["login"] + self.scenario.options(in: self.user.folder) + method)
  }

  /// Signs in with a code that the user enters on another device.
  func signInOnAnotherDevice(allow: Bool) async throws -> CommandResult {
    let arguments = try ["login", "--device"] + self.scenario.options(in: self.user.folder)
    let login = try ChildProcess(self.user.command(arguments), folder: self.user.folder)
    defer { login.end() }
    try await self.site.enterCode(shownBy: login, allow: allow)
    return try await login.finish()
  }

  /// Uses the access token, refreshes it with `--refresh`, and lets it expire, so that it is refreshed again.
  func useTokens() async throws {
    let first = try await self.token()
    #expect(try await self.token() == first, "the token is used until it expires")
    let user = try await self.expect(0, ["whoami", "--json"])
    #expect(user.output.contains("\"sub\":\"\(self.scenario.subject)\""), "\(user)")

    let refreshed = try await self.shortLivedToken()
    #expect(refreshed != first)
    let next = try await eventually("a refresh of the expired token") {
      let token = try await self.token()
      return token == refreshed ? nil : token
    }
    #expect(try await self.token() == next)
  }

  /// Refreshes the tokens, and returns an access token that expires after one second.
  @discardableResult
  func shortLivedToken() async throws -> String {
    self.site.server.lifetime = 1
    defer { self.site.server.lifetime = nil }
    return try await self.token(["--refresh"])
  }

  /// Requests a stronger authentication and an additional scope in a second sign-in, and uses and refreshes the new
  /// tokens.
  func stepUp() async throws {
    let scope = "\(self.scenario.scope) \(self.scenario.furtherScope)"
    let options = ["--scope", scope, "--acr-values", "gold", "--prompt", "login"]
    try await self.expect(0, ["login"] + options + HTTPProvider.browserOptions)
    let request = try #require(self.site.server.authorizations.last)
    #expect(request["acr_values"] == "gold" && request["prompt"] == "login")
    #expect(request.hasScope(self.scenario.furtherScope[...]))
    _ = try await self.token()
    _ = try await self.token(["--refresh"])
  }

  func signOut() async throws {
    let logout = try await self.expect(0, ["logout", "--json"])
    #expect(logout.output.contains("\"revoked\":\(self.scenario.offersRevocation)"), "\(logout)")
    try await self.expect(3, ["token"])
  }

  /// Runs `sallyport token`, checks that the provider's API accepts the token, and returns the token.
  private func token(_ arguments: [String] = []) async throws -> String {
    let token = try await self.expect(0, ["token"] + arguments).line
    #expect(try await self.site.apiStatus(token) == 200, "\(token)")
    return token
  }
}
