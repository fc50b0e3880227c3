import BrowserDriver
import QuirkServer
import Testing

/// Runs the built `sallyport` command with an imitation of each provider, as a user does.
///
/// These tests need neither browsers nor databases and mostly wait, so they run in parallel.
@Suite("The sallyport command with each provider", .timeLimit(.minutes(5)))
struct ProviderCommandTests {
  @Test(
    "sallyport signs in with a browser, gets tokens that the API accepts, refreshes, and signs out",
    arguments: CommandScenario.all)
  func browser(_ scenario: CommandScenario) async throws {
    try await CommandSession.run(scenario) { session in
      try await session.signIn(HTTPProvider.browserOptions)
      try await session.useTokens()
      try await session.stepUp()
      try await session.signOut()
    }
  }

  @Test(
    "sallyport signs in with a code that the user enters on another device, gets tokens that the API accepts, refreshes, and signs out",
    arguments: CommandScenario.withDeviceFlow)
  func device(_ scenario: CommandScenario) async throws {
    try await CommandSession.run(scenario) { session in
      let login = try await session.signInOnAnotherDevice(allow: true)
      #expect(login.status == .exited(0), "\(login)")
      try await session.useTokens()
      try await session.signOut()
    }
  }

  @Test("if the user denies the request on the other device, sallyport exits with 4", arguments: CommandScenario.withDeviceFlow)
  func deniedDevice(_ scenario: CommandScenario) async throws {
    try await CommandSession.run(scenario) { session in
      let login = try await session.signInOnAnotherDevice(allow: false)
      #expect(login.status == .exited(4), "\(login)")
      try await session.expect(3, ["token"])
    }
  }

  @Test(
    "if the client secret is missing, the error of login names the option for it",
    arguments: CommandScenario.all.filter { $0.secret != nil })
  func missingSecret(_ scenario: CommandScenario) async throws {
    try await CommandSession.run(scenario) { session in
      let options = session.scenario.server + ["--client-id", scenario.provider.client.id, "--scope", scenario.scope]
      // The preset for GitHub says that a sign-in with a browser requires a secret, so the command opens no browser.
      let isGitHub = scenario.provider.name == "GitHub"
      let login = try await session.expect(isGitHub ? 2 : 1, ["login"] + options + HTTPProvider.browserOptions)
      #expect(login.errorOutput.contains("No client secret was \(isGitHub ? "specified" : "sent")"), "\(login)")
      #expect(session.site.server.authorizations.isEmpty == isGitHub)
      #expect(login.errorOutput.contains("--client-secret-file"), "\(login)")
    }
  }

  @Test("for a provider without OpenID Connect, status shows the user, and the messages about scopes and ID tokens are correct")
  func withoutOpenID() async throws {
    let scenario = CommandScenario(
      provider: .gitHub, server: ["--provider", "github"], scope: "read:user", furtherScope: "repo", subject: "583231")
    try await CommandSession.run(scenario) { session in
      let options = try session.scenario.options(in: session.user.folder)
      let login = try await session.expect(0, ["login"] + options + HTTPProvider.browserOptions)
      #expect(login.errorOutput.contains("granted the scope \"repo gist\". You requested \"read:user\"."), "\(login)")
      let status = try await session.expect(0, ["status"])
      for words in ["Signed in as octocat to", "The granted scope is \"repo gist\".", "expires in "] {
        #expect(status.output.contains(words), "\(status)")
      }
      #expect(status.output.contains(/expires in (8 hours|7 hours and 59 minutes)\./), "\(status)")
      let json = try await session.expect(0, ["status", "--json"])
      #expect(
        json.output.contains("\"requested_scope\":\"read:user\"") && json.output.contains("\"scope\":\"repo gist\""), "\(json)")
      let idToken = try await session.expect(1, ["token", "--output", "id-token"])
      #expect(idToken.errorOutput.contains("does not support OpenID Connect"), "\(idToken)")
      let elsewhere = try await session.expect(1, ["request", "https://uploads.example.com/"])
      #expect(elsewhere.errorOutput.contains("--token-origin https://uploads.example.com"), "\(elsewhere)")
      let narrower = try await session.expect(2, ["token", "--scope", "gist"])
      #expect(narrower.output.isEmpty && narrower.errorOutput.contains("replaces the account's own."), "\(narrower)")
      let logout = try await session.expect(0, ["logout"])
      #expect(logout.errorOutput.contains("https://github.com/settings/applications"), "\(logout)")
      #expect(logout.output == "Signed out of https://github.com (client \(scenario.provider.client.id)).\n", "\(logout)")
    }
  }

  @Test("'request' and the git helper use the current account; 'request' exits with 2 if only other accounts match the URL")
  func severalAccounts() async throws {
    let scenario = CommandScenario(
      provider: .gitHub, server: ["--provider", "github"], scope: "read:user", furtherScope: "repo", subject: "583231")
    try await CommandSession.run(scenario) { session in
      let options = try session.scenario.options(in: session.user.folder) + HTTPProvider.browserOptions
      for name in ["a", "b", "c"] { try await session.expect(0, ["login", "--profile", name] + options) }
      for name in ["a", "c", "b"] {
        try await session.expect(0, ["switch", name])
        let request = try await session.expect(0, ["request", "--verbose", "https://api.github.com/user"])
        #expect(request.errorOutput.contains("Using the account \(name), "), "\(request)")
        let token = try await session.expect(0, ["token"]).line
        for host in ["api.github.com", "github.com"] {
          var git = session.user.command(["credential-helper", "git", "--host", host, "get"])
          git.input = Array("protocol=https\nhost=\(host)\n\n".utf8)
          let password = try await run(git, folder: session.user.folder)
          #expect(password.output.contains("password=\(token)\n"), "\(host) \(password)")
        }
      }
      // This sign-in makes an account at another provider the current account.
      try await withProvider { other in
        try await EndToEndTests.SignInParameterTests.signIn(session.user, other, [])
        let request = try await session.expect(2, ["request", "https://api.github.com/user"])
        for name in ["a", "b", "c"] {
          #expect(request.errorOutput.contains("\n  sallyport switch --profile \(name)\n"), "\(request)")
        }
      }
    }
  }

  @Test(
    "the exit code is 5 for an unavailable provider, 1 for a wrong secret, 4 after a denial, and 3 after a revocation",
    arguments: CommandScenario.all)
  func exitCodes(_ scenario: CommandScenario) async throws {
    try await CommandSession.run(scenario) { session in
      let server = session.site.server
      try await session.signIn(HTTPProvider.browserOptions)
      for status in [429, 503] {
        server.simulatedFailure = .unavailable(status: status)
        try await session.expect(5, ["token", "--refresh"])
      }
      if scenario.secret != nil {
        server.simulatedFailure = .secretReplaced
        let refused = try await session.expect(1, ["token", "--refresh"])
        #expect(refused.errorOutput.contains("--client-secret-file"), "\(refused)")
      }
      server.simulatedFailure = .userDenies
      try await session.expect(4, ["login"] + HTTPProvider.browserOptions)
      server.simulatedFailure = nil
      server.revokeAllGrants()
      try await session.expect(3, ["token", "--refresh"])
      // The access token has not expired, but the session has ended, because the server rejected the refresh.
      for command in ["token", "status", "whoami"] {
        let finished = try await session.expect(3, [command])
        #expect(finished.errorOutput.contains("--client-id \(scenario.provider.client.id)"), "\(finished)")
        #expect(!finished.output.contains("Signed in") && !finished.output.contains("access"), "\(finished)")
      }
    }
  }
}
