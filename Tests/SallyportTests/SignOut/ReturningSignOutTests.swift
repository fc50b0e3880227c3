import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("RP-initiated logout with a redirect", .timeLimit(.minutes(1)))
struct ReturningSignOutTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
  }

  /// Returns the URL to which the server redirects the browser.
  private static func redirectURL(after request: FormParameters) -> String {
    let query = FormParameters.encode([(name: "state", value: request["state"] ?? "")])
    return "\(request["post_logout_redirect_uri"] ?? "")?\(query)"
  }

  @Test(
    "OpenID Connect RP-Initiated Logout §3: the app waits for the redirect, and the last page confirms the sign-out",
    arguments: [SignInFixture.callback, "com.example.app:/signed-out", "https://app.example/signed-out"])
  func returned(_ redirectURI: String) async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser(redirectURI) { [Self.redirectURL(after: $0)] }
    let outcome = try await session.signOut(via: user, returningTo: user)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .returned))
    #expect(user.outcomes == [.signedOut(appName: "Notes")])
    #expect(user.parameters["post_logout_redirect_uri"] == redirectURI)
    // The length of 256 random bits in Base64URL.
    #expect(user.parameters["state"]?.utf8.count == 43)
    #expect(!user.isReceiving)
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("OpenID Connect RP-Initiated Logout §3: a redirect to another URI, or without the state of this sign-out, is rejected")
  func foreign() async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { request in
      let state = request["state"] ?? ""
      return [
        SignInFixture.callback, "\(SignInFixture.callback)?state=guess", "\(SignInFixture.callback)?error=access_denied",
        "\(SignInFixture.callback)?state=\(state)&state=\(state)", "http://127.0.0.1:49152/other?state=\(state)",
        "http://127.0.0.1:49153/oauth2redirect/id.example?state=\(state)", Self.redirectURL(after: request),
      ]
    }
    // The SDK replaces this state with a random one.
    var browserSignOut = BrowserSignOut(state: "guess")
    browserSignOut.uiLocales = ["de", "en"]
    #expect(try await session.signOut(browserSignOut, via: user, returningTo: user).browser == .returned)
    #expect(user.rejected.count == 6)
    #expect(user.parameters["ui_locales"] == "de en")
  }

  @Test("each sign-out has its own state")
  func fresh() async throws {
    var states: Set<String> = []
    for _ in 0..<3 {
      let session = try await self.fixture.signIn()
      let user = try FakeBrowser { [Self.redirectURL(after: $0)] }
      try await session.signOut(via: user, returningTo: user)
      states.insert(try #require(user.parameters["state"]))
    }
    #expect(states.count == 3)
  }

  @Test(
    "if the receiver fails before the server's logout page opens, the page opens without waiting for the redirect",
    arguments: [
      RedirectReceiverError.cannotBind(reason: "in use"), RedirectReceiverError.failed(reason: "broken"),
      OwnError(),
    ] as [any Error & Sendable])
  func failsBefore(_ error: any Error & Sendable) async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    let outcome = try await session.signOut(via: user, returningTo: BreakingReceiver(inner: user, before: error))
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .opened))
    #expect(user.opened.count == 1)
    #expect(user.parameters["post_logout_redirect_uri"] == nil)
    #expect(user.parameters["client_id"] == "notes")
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("if the receiver fails after the logout page opens, the page opens once, and the result says whether a redirect came")
  func failsAfter() async throws {
    for error: any Error & Sendable in [RedirectReceiverError.cannotBind(reason: "late"), OwnError(), CancellationError()] {
      let session = try await self.fixture.signIn()
      let user = try FakeBrowser { [Self.redirectURL(after: $0)] }
      let outcome = try await session.signOut(via: user, returningTo: BreakingReceiver(inner: user, after: error))
      #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .returned))
      #expect(user.opened.count == 1)
    }
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    let receiver = BreakingReceiver(inner: user, waiting: RedirectReceiverError.failed(reason: "gone"))
    let outcome = try await session.signOut(via: user, returningTo: receiver)
    #expect(outcome.browser == .receiverFailed(reason: "gone"))
    #expect(user.opened.count == 1)
  }

  @Test("a sign-out that is canceled before the page opens does not open it")
  func stoppedBefore() async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    await #expect(throws: SessionError.cancelled) {
      try await session.signOut(via: user, returningTo: BreakingReceiver(inner: user, before: CancellationError()))
    }
    #expect(user.opened.isEmpty)
    #expect(try await self.fixture.client().restoreSession() != nil)
  }

  @Test("if the store cannot be read, the error is reported, and no page opens")
  func storeFails() async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    self.fixture.store.loadError = .failed(reason: "locked")
    await #expect(throws: SessionError.store(.failed(reason: "locked"))) {
      try await session.signOut(via: user, returningTo: user)
    }
    #expect(user.opened.isEmpty)
  }

  @Test("C-11: if the server has no logout page, no port is opened")
  func notOffered() async throws {
    let fixture = try SignInFixture { $0.metadata.endSessionEndpoint = nil }
    fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    let session = try await fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    // If the receiver were used, this error would end the sign-out.
    let receiver = BreakingReceiver(inner: user, before: CancellationError())
    let outcome = try await session.signOut(via: user, returningTo: receiver)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .notOffered))
  }

  @Test("if the wait for the redirect times out or is canceled, the user is signed out locally, and the reason is reported")
  func absent() async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser { _ in [] }
    let outcome = try await session.signOut(via: user, returningTo: user, within: .zero)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, browser: .timedOut))
    #expect(!user.isReceiving)
    #expect(try await self.fixture.client().restoreSession() == nil)

    let second = try await self.fixture.signIn()
    let other = try FakeBrowser { _ in [] }
    let signOut = Task { try await second.signOut(via: other, returningTo: other) }
    await other.opening.wait()
    signOut.cancel()
    #expect(try await signOut.value.browser == .cancelled)
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("if no browser can be opened, the sign-out does not wait for a redirect")
  func noBrowser() async throws {
    let session = try await self.fixture.signIn()
    let user = try FakeBrowser(openError: .noBrowser(tried: ["x"])) { _ in [] }
    let outcome = try await session.signOut(via: user, returningTo: user)
    #expect(outcome.browser == .notOpened(.noBrowser(tried: ["x"])))
  }
}

/// An error that the app's own receiver throws.
private struct OwnError: Error {}

/// A receiver that fails before it calls `body`, while `body` waits, or after `body` has returned.
private struct BreakingReceiver: RedirectReceiver {
  let inner: FakeBrowser
  var before: (any Error & Sendable)?
  var waiting: (any Error & Sendable)?
  var after: (any Error & Sendable)?

  func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    if let before { throw before }
    let result = try await self.inner.withRedirect(for: server) { bound in
      guard let waiting else { return try await body(bound) }
      return try await body(BoundRedirect(redirectURI: bound.redirectURI) { _ in throw waiting })
    }
    if let after { throw after }
    return result
  }
}
