import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// Tests the leases of the token store. A task that holds the lease on a key excludes all other tasks and processes
/// from refreshing the tokens under this key. The fixture's access tokens are valid for 600 seconds.
@Suite("Leases during a refresh", .timeLimit(.minutes(1)))
struct LeaseTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("a refresh that waits for the server does not block the session of another account")
  func othersAreNotBlocked() async throws {
    let slow = try await self.fixture.signIn()
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user, access: "access-w", refresh: "refresh-w")
    let work = try await self.fixture.client(account: "work").signIn(
      scopes: [.openID, .offlineAccess], via: user, receiver: user)
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      if request.form?["refresh_token"] == "refresh-1" { await gate.wait() }
      return .success(SignInFixture.tokens("new-\(request.form?["refresh_token"] ?? "")", refresh: nil))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let waiting = Task { try await slow.accessToken() }
    // The first two requests are those of the sign-ins.
    await self.fixture.transport.waitForRequests(3, to: SignInFixture.tokenURL)
    #expect(try await work.accessToken().reveal() == "new-refresh-w")
    gate.open()
    #expect(try await waiting.value.reveal() == "new-refresh-1")
  }

  @Test("no lease is held while a user signs in, so the existing session can be refreshed")
  func noLeaseDuringSignIn() async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let signIn = Task { try await client.signIn(scopes: [.openID], via: user, receiver: user) }
    await user.opening.wait()
    #expect(self.fixture.store.heldLeases.isEmpty)
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-2")
    signIn.cancel()
    _ = await signIn.result
  }
}
