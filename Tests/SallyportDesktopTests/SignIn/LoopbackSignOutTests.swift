import Sallyport
import SallyportProtocol
import Synchronization
import TestSupport
import Testing

@testable import SallyportDesktop

@Suite("Sign-out with a loopback port", .timeLimit(.minutes(1)))
struct LoopbackSignOutTests {
  private let home = TemporaryFolder()

  /// A browser that the server redirects to the app immediately. Before the redirect, another program sends the app a
  /// request with a wrong state.
  private final class Browser: UserAgent {
    private let requests = Mutex<Task<[String], Never>?>(nil)

    func open(_ url: BrowserURL) async throws(UserAgentError) {
      let query = url.value.split(separator: "?", maxSplits: 1).last ?? ""
      let request = try? FormParameters(parsing: query)
      let redirectURI = request?["post_logout_redirect_uri"] ?? ""
      let state = request?["state"] ?? ""
      self.requests.withLock {
        $0 = Task {
          let rejected = await TestBrowser.get("\(redirectURI)?state=guess")
          return [rejected, await TestBrowser.get("\(redirectURI)?state=\(state)")]
        }
      }
    }

    /// The response to the other program's request, and the page for the user.
    var pages: [String] {
      get async { await self.requests.withLock { $0 }?.value ?? [] }
    }
  }

  @Test(
    "OpenID Connect RP-Initiated Logout §3: the receiver rejects a request with a wrong state, and shows the last page after the redirect"
  )
  func returned() async throws {
    let server = try TestIssuer()
    let transport = FakeTransport()
    server.publish(on: transport)
    let store = EncryptedFileStore(folder: self.home.path + "/data")
    let response = TokenResponse(accessToken: Secret("a-1"), expiresIn: 60, refreshToken: nil, idToken: nil)
    let tokenSet = TokenSet(
      issuer: server.issuer, clientID: "notes", requestedScope: "notes", response: response, claims: nil,
      requestedAt: Timestamp.now())
    _ = try await TokenSetStore(store: store, issuer: server.issuer, clientID: "notes").replace(with: tokenSet)
    let client = OAuthClient(issuer: server.issuer, clientID: "notes", store: store, transport: transport, appName: "Notes")
    let session = try #require(try await client.restoreSession())

    let browser = Browser()
    let outcome = try await session.signOut(via: browser, returningTo: LoopbackReceiver())
    #expect(outcome.browser == .returned)
    let pages = await browser.pages
    try #require(pages.count == 2)
    #expect(pages[0].hasPrefix("HTTP/1.1 404 "))
    #expect(pages[1].contains("You are signed out") && pages[1].contains("<bdi>Notes</bdi>"))
    #expect(try await client.restoreSession() == nil)
  }
}
