import Sallyport
import SallyportProtocol
import SallyportTesting
import TestSupport
import Testing

/// Tests `ScriptedUserAgent`, which simulates a user in the tests of apps.
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

  @Test("an error response of the server is reported to the app")
  func error() async throws {
    let user = ScriptedUserAgent(self.server)
    user.decision = .fail(.temporarilyUnavailable)
    await #expect {
      _ = try await self.server.client().signIn(scopes: .openID, via: user, receiver: user)
    } throws: {
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

  @Test("an error response contains the issuer of its own server, even if a later sign-in at another server is in progress")
  func concurrentSignIns() async throws {
    let other = FakeAuthorizationServer(issuer: try Issuer("https://other.example"))
    let user = ScriptedUserAgent(self.server)
    let slow = SlowUserAgent(base: user)
    let denied = Task { try await self.server.client().signIn(scopes: .openID, via: slow, receiver: user) }
    await slow.opening.wait()
    user.decision = .stayAway
    let waiting = Task { try await other.client().signIn(scopes: .openID, via: user, receiver: user) }
    for await _ in user.requests { break }
    user.decision = .deny
    slow.mayOpen.open()
    await #expect(throws: SignInError.denied(OAuthErrorResponse(error: "access_denied", description: nil))) {
      try await denied.value
    }
    waiting.cancel()
    _ = await waiting.result
  }

  /// A user agent that opens the gate `opening` when the SDK calls it, and opens the URL after the test has opened the
  /// gate `mayOpen`.
  private struct SlowUserAgent: UserAgent {
    let base: ScriptedUserAgent
    let opening = Gate()
    let mayOpen = Gate()

    func open(_ url: BrowserURL) async throws(UserAgentError) {
      self.opening.open()
      await self.mayOpen.wait()
      try await self.base.open(url)
    }
  }

  @Test(
    "the parameters of a response or an error response are added to a redirect URI that has a query", arguments: [true, false])
  func redirectWithQuery(isAllowed: Bool) async throws {
    let user = ScriptedUserAgent(self.server, redirectURI: try RedirectURI("com.example.app:/oauth2redirect?tab=1"))
    user.decision = isAllowed ? .allow : .deny
    let client = self.server.client()
    if isAllowed {
      _ = try await client.signIn(scopes: .openID, via: user, receiver: user)
    } else {
      await #expect(throws: SignInError.denied(OAuthErrorResponse(error: "access_denied", description: nil))) {
        try await client.signIn(scopes: .openID, via: user, receiver: user)
      }
    }
  }
}
