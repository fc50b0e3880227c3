import Sallyport
import SallyportProtocol
import SallyportTesting
import Testing

/// Tests of `ScriptedUserAgent`, which simulates a user in the tests of apps.
@Suite("A scripted user agent", .timeLimit(.minutes(1)))
struct ScriptedUserAgentTests {
  private let server = FakeAuthorizationServer()

  @Test("a user who denies the request ends the sign-in")
  func deny() async throws {
    let user = ScriptedUserAgent(self.server)
    user.decision = .deny
    await #expect(throws: SignInError.denied(OAuthErrorResponse(error: "access_denied", description: nil))) {
      try await self.server.client().signIn(scopes: .openID, via: user, receiver: user)
    }
    user.decision = .allow
    _ = try await self.server.client().signIn(scopes: .openID, via: user, receiver: user)
  }

  @Test("an error of the server reaches the app")
  func error() async throws {
    let user = ScriptedUserAgent(self.server)
    user.decision = .fail(.temporarilyUnavailable)
    await #expect {
      _ = try await self.server.client().signIn(scopes: .openID, via: user, receiver: user)
    } throws: {
      if case SignInError.response(.refused(let response)) = $0 { return response.code == .temporarilyUnavailable }
      if case SignInError.refused(let response) = $0 { return response.code == .temporarilyUnavailable }
      return false
    }
  }

  @Test("a user who closes the page ends the sign-in")
  func dismiss() async throws {
    let user = ScriptedUserAgent(self.server)
    user.decision = .dismiss
    await #expect(throws: SignInError.dismissed) {
      try await self.server.client().signIn(scopes: .openID, via: user, receiver: user)
    }
  }

  @Test("a sign-in waits for a user who never returns, until the app cancels it")
  func stayAway() async throws {
    let user = ScriptedUserAgent(self.server)
    user.decision = .stayAway
    let signIn = Task { try await self.server.client().signIn(scopes: .openID, via: user, receiver: user) }
    for await request in user.requests {
      #expect(request.value.hasPrefix("https://id.example/authorize?"))
      signIn.cancel()
      break
    }
    await #expect(throws: SignInError.cancelled) { try await signIn.value }
  }
}
