import Crypto
import QuirkServer
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

/// Signs in with each provider, as an app does.
@Suite("The SDK with each provider", .timeLimit(.minutes(2)))
struct ProviderSignInTests {
  @Test("an app signs in, calls the API with a Bearer token, refreshes, and signs out", arguments: Scenario.all)
  func browser(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    let session = try await app.signIn()
    #expect(await session.claims?.subject == scenario.subject)
    try await Self.use(session, in: app)
  }

  @Test("an app signs in on another device, calls the API, refreshes, and signs out", arguments: Scenario.withDeviceFlow)
  func device(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    try await Self.use(try await app.signInOnAnotherDevice(), in: app)
  }

  @Test("an app with a key that signs the client secret signs in with Apple, and refreshes")
  func signedSecret() async throws {
    let scenario = try #require(Scenario.all.first { $0.provider.name == "Apple" })
    let key = Secret(P256.Signing.PrivateKey().pemRepresentation)
    let app = try App(scenario, secret: .insecureSignedJWT(privateKey: key, keyID: "KEY1", issuer: "TEAM1"))
    try await Self.use(try await app.signIn(), in: app)
  }

  private static func use(_ session: OAuthSession, in app: App) async throws {
    #expect(try await app.callAPI(session) == 200)
    let first = try await session.accessToken().reveal()
    // After 60 days, the access tokens of all providers have expired.
    app.clock.advance(by: .seconds(60 * 86_400))
    #expect(try await session.accessToken().reveal() != first, "refreshed after the token has expired")
    #expect(try await app.callAPI(session) == 200)
    try await session.refresh()
    #expect(try await app.callAPI(session) == 200, "refreshed with the token of the first refresh")

    let offersRevocation = app.scenario.provider.endpoints.revocation != nil
    #expect(try await session.signOut() == (offersRevocation ? .revoked : .notOffered))
    #expect(app.server.activeGrants == (offersRevocation ? 0 : 1))
    #expect(try await app.client.restoreSession() == nil)
  }

  @Test("after a step-up, the new session can be used and refreshed", arguments: Scenario.all)
  func stepUp(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    let first = try await app.signIn()
    let session = try await app.signIn(await first.options(for: StepUp(scope: scenario.furtherScope)))
    #expect(try await app.callAPI(session) == 200)
    try await session.refresh()
    #expect(try await app.callAPI(session) == 200)
  }

  @Test("after a second sign-in, the new session can be refreshed and used", arguments: Scenario.all)
  func secondSignIn(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    _ = try await app.signIn()
    let session = try await app.signIn()
    try await session.refresh()
    #expect(try await app.callAPI(session) == 200)
  }

  @Test("a refresh token that the provider has revoked ends the session", arguments: Scenario.all)
  func revokedRefreshToken(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    let session = try await app.signIn()
    app.server.revokeAllGrants()
    await #expect {
      try await session.refresh()
    } throws: {
      if case SessionError.signInRequired = $0 { true } else { false }
    }
    app.clock.advance(by: .seconds(60 * 86_400))
    await #expect {
      _ = try await session.accessToken()
    } throws: {
      if case SessionError.signInRequired = $0 { true } else { false }
    }
  }

  @Test("a user who denies the request on the other device ends the sign-in", arguments: Scenario.withDeviceFlow)
  func denied(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    await #expect {
      _ = try await app.signInOnAnotherDevice(allow: false)
    } throws: {
      if case SignInError.denied = $0 { true } else { false }
    }
  }

  @Test("a wrong client secret is reported, and the session is kept", arguments: Scenario.withSecret)
  func wrongSecret(_ scenario: Scenario) async throws {
    let app = try App(scenario)
    _ = try await app.signIn()
    // `sharing` gives the second app the token store and the server of the first one.
    let appWithWrongSecret = try App(scenario, secret: .insecureShared(Secret("wrong")), sharing: app)
    let session = try #require(try await appWithWrongSecret.client.restoreSession())
    await #expect {
      try await session.refresh()
    } throws: {
      if case SessionError.refused = $0 { true } else { false }
    }
    #expect(try await appWithWrongSecret.client.restoreSession() != nil)
  }
}
