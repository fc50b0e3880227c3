import AppKit
import AuthenticationServices
import Testing

@testable import Sallyport

/// Runs on Linux, with the simulated `ASWebAuthenticationSession` in `Tests/Platforms/Stubs`.
@MainActor
@Suite(.serialized)
struct WebAuthenticationTabTests {
  static let issuer = "https://id.example.com"
  static let response = "com.example.app:/cb?state=known"
  private let window = NSWindow()
  private let page: BrowserURL

  init() throws {
    ASWebAuthenticationSession.canStart = true
    ASWebAuthenticationSession.onStart = nil
    self.page = try BrowserURL("https://id.example.com/authorize?a=b")
  }

  /// Opens the page and waits for the response, as a sign-in does.
  private func signIn(_ tab: WebAuthenticationTab) async throws -> String {
    let page = self.page
    return try await tab.withRedirect(for: ServerConfiguration(issuer: Issuer(Self.issuer))) { bound in
      try await tab.open(page)
      let received = try await bound.response { $0.hasSuffix("state=known") }
      await received.finish(.signedIn(appName: nil))
      return received.callbackURL.reveal()
    }
  }

  private func tab(
    _ redirectURI: String = "com.example.app:/cb", cookies: WebAuthenticationTab.Cookies = .shared
  ) throws -> WebAuthenticationTab {
    let window = self.window
    return WebAuthenticationTab(redirectURI: try RedirectURI(redirectURI), cookies: cookies) { window }
  }

  @Test(
    "P-01, P-04: private-use and claimed https redirects return through the system's tab",
    arguments: [
      ("com.example.app:/cb", "scheme com.example.app", "com.example.app:/cb?state=known"),
      ("https://app.example.com/cb", "https app.example.com /cb", "https://app.example.com/cb?state=known"),
    ])
  func callback(redirectURI: String, callback: String, response: String) async throws {
    var shownSession: ASWebAuthenticationSession?
    ASWebAuthenticationSession.onStart = {
      shownSession = $0
      $0.complete(URL(string: response))
    }
    #expect(try await self.signIn(self.tab(redirectURI)) == response)
    #expect(shownSession?.callback.text == callback)
    #expect(shownSession?.url.absoluteString == self.page.value)
    #expect(shownSession?.anchor === self.window)
    #expect(shownSession?.prefersEphemeralWebBrowserSession == false)
  }

  @Test("P-01: an ephemeral tab asks the system for a session without shared cookies")
  func ephemeral() async throws {
    var isEphemeral: Bool?
    ASWebAuthenticationSession.onStart = {
      isEphemeral = $0.prefersEphemeralWebBrowserSession
      $0.complete(URL(string: Self.response))
    }
    _ = try await self.signIn(self.tab(cookies: .ephemeral))
    #expect(isEphemeral == true)
  }

  @Test("C-16: after a callback that is not the response, the page is shown again and the wait continues")
  func rejects() async throws {
    var starts = 0
    ASWebAuthenticationSession.onStart = {
      starts += 1
      $0.complete(URL(string: starts < 3 ? "com.example.app:/cb?state=other" : Self.response))
    }
    #expect(try await self.signIn(self.tab()) == Self.response)
    #expect(starts == 3)
  }

  @Test("C-16: a page that keeps sending other callbacks is shown at most three times")
  func rejectsRepeatedly() async throws {
    var starts = 0
    ASWebAuthenticationSession.onStart = {
      starts += 1
      $0.complete(URL(string: "com.example.app:/cb?state=other"))
    }
    await #expect(throws: RedirectReceiverError.self) { try await self.signIn(self.tab()) }
    #expect(starts == 3)
  }

  @Test("P-01: if the user closes the tab, the error says that the user dismissed it")
  func dismissed() async throws {
    ASWebAuthenticationSession.onStart = { $0.complete(nil, ASWebAuthenticationSessionError(.canceledLogin)) }
    await #expect(throws: RedirectReceiverError.dismissed) { try await self.signIn(self.tab()) }
  }

  @Test("P-01: if the app cancels, the tab closes and the error is a cancellation")
  func cancelled() async throws {
    var shownSession: ASWebAuthenticationSession?
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    ASWebAuthenticationSession.onStart = {
      shownSession = $0
      continuation.yield()
    }
    let tab = try self.tab()
    let task = Task { try await self.signIn(tab) }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(shownSession?.isCancelled == true)
    // The system reports the cancellation afterward. This report has no effect on the next sign-in.
    shownSession?.complete(nil, ASWebAuthenticationSessionError(.canceledLogin))
    ASWebAuthenticationSession.onStart = { $0.complete(URL(string: Self.response)) }
    #expect(try await self.signIn(tab) == Self.response)
  }

  @Test("P-01: a tab that cannot be shown, has no window, does not support the redirect, or is not the receiver reports an error")
  func failures() async throws {
    // The system rejects the window.
    ASWebAuthenticationSession.onStart = { $0.complete(nil, ASWebAuthenticationSessionError(.presentationContextInvalid)) }
    await #expect(throws: RedirectReceiverError.self) { try await self.signIn(self.tab()) }
    ASWebAuthenticationSession.canStart = false
    await #expect(throws: UserAgentError.self) { try await self.signIn(self.tab()) }
    await #expect(throws: RedirectReceiverError.self) { try await self.signIn(self.tab("http://127.0.0.1/cb")) }
    // The tab opens a page, but does not wait for its response.
    await #expect(throws: UserAgentError.self) { try await self.tab().open(self.page) }
  }

  @Test("P-04: DefaultBrowser passes the page's URL to the system, and throws an error if the system does not open it")
  func defaultBrowser() async throws {
    NSWorkspace.shared.openSucceeds = true
    try await DefaultBrowser().open(self.page)
    #expect(NSWorkspace.shared.opened.last?.absoluteString == self.page.value)
    NSWorkspace.shared.openSucceeds = false
    await #expect(throws: UserAgentError.self) { try await DefaultBrowser().open(self.page) }
  }
}
