import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("offline_access", .timeLimit(.minutes(1)))
struct OfflineAccessTests {
  /// Signs in, and returns the browser, the number of times that a missing refresh token was reported, and the session.
  private func signIn(
    _ scopes: Scope, refresh: String?
  ) async throws -> (browser: FakeBrowser, reports: Int, session: OAuthSession) {
    let fixture = try SignInFixture()
    let browser = try fixture.browser()
    fixture.grantTokens(to: browser, refresh: refresh)
    let reports = Mutex(0)
    let options = SignInOptions(scopes: scopes) { if case .refreshTokenMissing = $0 { reports.withLock { $0 += 1 } } }
    let session = try await fixture.client().signIn(options, via: browser, receiver: browser)
    return (browser, reports.withLock { $0 }, session)
  }

  @Test("the SDK adds no prompt for offline_access, because some servers allow prompt=consent only for administrators")
  func noPrompt() async throws {
    let (browser, reports, session) = try await self.signIn([.openID, .offlineAccess], refresh: "refresh-1")
    #expect(browser.parameters["prompt"] == nil)
    #expect(browser.parameters["scope"] == "openid offline_access")
    #expect(reports == 0)
    #expect(await session.isRenewable)
  }

  @Test(
    "OpenID Connect Core §11: if offline_access was requested and the response has no refresh token, the sign-in reports this as progress, with advice"
  )
  func missing() async throws {
    let (_, reports, session) = try await self.signIn([.openID, .offlineAccess], refresh: nil)
    #expect(reports == 1)
    #expect(await !session.isRenewable)
    #expect(SignInProgress.refreshTokenMissing.explanation?.advice.contains("consent") == true)
    #expect(SignInProgress.responseReceived.explanation == nil)
  }

  @Test("without offline_access, a missing refresh token is not reported")
  func notRequested() async throws {
    #expect(try await self.signIn([.openID], refresh: nil).reports == 0)
  }

  @Test("a sign-in on another device also reports a missing refresh token")
  func device() async throws {
    let fixture = try DeviceFixture()
    fixture.respondToPolls([.success(SignInFixture.tokens("access-1", refresh: nil))])
    let reports = Mutex(0)
    let options = SignInOptions(scopes: ["notes", .offlineAccess]) {
      if case .refreshTokenMissing = $0 { reports.withLock { $0 += 1 } }
    }
    _ = try await fixture.signIn(options)
    #expect(reports.withLock { $0 } == 1)
  }
}
