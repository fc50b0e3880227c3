import BrowserDriver
import QuirkServer
import Testing

/// Runs the built command with each provider, as a user does.
///
/// These tests need neither browsers nor databases and mostly wait, so they run in parallel.
@Suite("The command with each provider", .timeLimit(.minutes(5)))
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
    "sallyport signs in on another device, gets tokens that the API accepts, refreshes, and signs out",
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
    "if the client secret is missing, sallyport names the option for it",
    arguments: CommandScenario.all.filter { $0.secret != nil })
  func missingSecret(_ scenario: CommandScenario) async throws {
    try await CommandSession.run(scenario) { session in
      let options = session.scenario.server + ["--client-id", scenario.provider.client.id, "--scope", scenario.scope]
      let login = try await session.expect(1, ["login"] + options + HTTPProvider.browserOptions)
      #expect(login.errorOutput.contains("No client secret was sent"), "\(login)")
      #expect(login.errorOutput.contains("--client-secret-file"), "\(login)")
    }
  }

  @Test("for a provider without OpenID Connect, status knows the user, and the messages about scopes and ID tokens are correct")
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
      let logout = try await session.expect(0, ["logout"])
      #expect(logout.output == "Signed out of https://github.com (client \(scenario.provider.client.id)).\n", "\(logout)")
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
        server.trouble = .unavailable(status: status)
        try await session.expect(5, ["token", "--refresh"])
      }
      if scenario.secret != nil {
        server.trouble = .secretReplaced
        let refused = try await session.expect(1, ["token", "--refresh"])
        #expect(refused.errorOutput.contains("--client-secret-file"), "\(refused)")
      }
      server.trouble = .userDenies
      try await session.expect(4, ["login"] + HTTPProvider.browserOptions)
      server.trouble = nil
      try await session.shortLivedToken()
      server.revokeAllGrants()
      try await session.expect(3, ["token", "--refresh"])
      // The last access token is used until it expires.
      try await eventually("the end of the session") {
        try await session.user.sallyport("token").status == .exited(3) ? () : nil
      }
    }
  }
}
