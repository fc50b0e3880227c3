import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Sign-in", .timeLimit(.minutes(1)))
struct SignInTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("C-02, C-20: a sign-in exchanges the code with its verifier and without a secret")
  func good() async throws {
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser)
    let session = try await self.fixture.client().signIn(scopes: [.openID, .profile], via: browser, receiver: browser)
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(await session.claims?.subject == "ada")
    #expect(await session.scope == "openid profile")

    let request = try #require(self.fixture.tokenRequests.first)
    let form = try #require(request.form)
    #expect(Set(form.names) == ["grant_type", "code", "redirect_uri", "client_id", "code_verifier"])
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["code"] == "code-1")
    #expect(form["redirect_uri"] == SignInFixture.callback)
    #expect(request.head.headerFields[.authorization] == nil)
    let authorizationRequest = try FormParameters(parsing: browser.opened[0].split(separator: "?")[1])
    #expect(try CodeVerifier(form["code_verifier"] ?? "").challenge.value == authorizationRequest["code_challenge"])
  }

  @Test("C-01, C-05: the request is passed as a URL, once, to the user agent that the app chose")
  func chosenUserAgent() async throws {
    struct ChosenUserAgent: UserAgent {
      let browser: FakeBrowser
      func open(_ url: BrowserURL) async throws(UserAgentError) { try await self.browser.open(url) }
    }
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser)
    _ = try await self.fixture.client().signIn(scopes: [.openID], via: ChosenUserAgent(browser: browser), receiver: browser)
    #expect(browser.opened.count == 1)
    // The SDK itself does not fetch the page that the user sees.
    #expect(self.fixture.transport.requests(to: "https://id.example/authorize").isEmpty)
  }

  @Test("after the code has been exchanged, the receiver's page shows the outcome")
  func lastPage() async throws {
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser)
    _ = try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    #expect(browser.outcomes == [.signedIn(appName: "Notes")])
    #expect(!browser.isReceiving)
  }

  @Test("C-16: URLs that are not the response are rejected, and the sign-in waits until the authorization response arrives")
  func rejectIsNotAbort() async throws {
    let foreignURLs = [
      "http://127.0.0.1:49152/favicon.ico", "\(SignInFixture.callback)?error=access_denied",
      "\(SignInFixture.callback)?error=access_denied&state=guess", "\(SignInFixture.callback)?code=evil&state=guess", "", "\0",
    ]
    let browser = try FakeBrowser { foreignURLs + [SignInFixture.response(to: $0)] }
    self.fixture.grantTokens(to: browser)
    let session = try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(browser.rejected == foreignURLs)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("C-16: the response to an earlier request is rejected")
  func reusedState() async throws {
    let first = try self.fixture.browser()
    self.fixture.grantTokens(to: first)
    _ = try await self.fixture.client().signIn(scopes: [.openID], via: first, receiver: first)
    let authorizationRequest = try FormParameters(parsing: first.opened[0].split(separator: "?")[1])
    let reusedResponse = SignInFixture.response(to: authorizationRequest, code: "code-old")

    let second = try FakeBrowser { [reusedResponse, SignInFixture.response(to: $0, code: "code-new")] }
    self.fixture.grantTokens(to: second)
    _ = try await self.fixture.client().signIn(scopes: [.openID], via: second, receiver: second)
    #expect(second.rejected == [reusedResponse])
    #expect(self.fixture.tokenRequests.compactMap { $0.form?["code"] } == ["code-1", "code-new"])
  }

  @Test("C-19: a response with another server's iss ends the sign-in before the code is sent")
  func mixUp() async throws {
    let browser = try FakeBrowser { [SignInFixture.response(to: $0, iss: "https://evil.example")] }
    await #expect(throws: SignInError.response(.issuerMismatch)) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    #expect(self.fixture.tokenRequests.isEmpty)
    #expect(browser.outcomes == [.failed])
    #expect(self.fixture.store.keys.allSatisfy { $0.kind != "grant" })
  }

  @Test("a denial by the user is shown on the receiver's page and reported to the app")
  func denied() async throws {
    let browser = try FakeBrowser { request in
      ["\(SignInFixture.callback)?error=access_denied&state=\(request["state"] ?? "")&iss=https%3A%2F%2Fid.example"]
    }
    let error = await #expect(throws: SignInError.self) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    guard case .denied(let errorResponse) = error else { throw Unexpected() }
    #expect(errorResponse.code == .accessDenied)
    #expect(browser.outcomes == [.denied])
  }

  @Test("canceling the sign-in is not reported as a denial")
  func cancelled() async throws {
    let browser = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let signIn = Task { try await client.signIn(scopes: [.openID], via: browser, receiver: browser) }
    await browser.opening.wait()
    signIn.cancel()
    await #expect(throws: SignInError.cancelled) { try await signIn.value }
    #expect(!browser.isReceiving)
  }

  @Test("canceling the sign-in does not wait for a server that does not respond")
  func cancelledDiscovery() async throws {
    let gate = Gate()
    self.fixture.transport.on(self.fixture.server.configurationURL) { _ in
      await gate.wait()
      return .failure(.timedOut)
    }
    let browser = try self.fixture.browser()
    let client = try self.fixture.client()
    let signIn = Task { try await client.signIn(scopes: [.openID], via: browser, receiver: browser) }
    await self.fixture.transport.waitForRequests(1, to: self.fixture.server.configurationURL)
    signIn.cancel()
    await #expect(throws: SignInError.cancelled) { try await signIn.value }
    gate.open()
  }

  @Test("C-11: after the timeout, the receiver is closed")
  func timedOut() async throws {
    let browser = try FakeBrowser { _ in [] }
    await #expect(throws: SignInError.timedOut) {
      try await self.fixture.client().signIn(
        SignInOptions(scopes: [.openID], timeout: .milliseconds(1)), via: browser, receiver: browser)
    }
    #expect(!browser.isReceiving)
  }

  @Test(
    "C-28: the response is used if the clock is set forward during the sign-in, even if another process has seen the new time",
    arguments: [false, true])
  func clockSetForward(isSeen: Bool) async throws {
    let browser = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let signIn = Task { try await client.signIn(scopes: [.openID], via: browser, receiver: browser) }
    await browser.opening.wait()
    self.fixture.clock.advance(by: .seconds(7200))
    if isSeen {
      _ = try await self.fixture.client().beginSignIn(scopes: [.openID], redirect: RedirectURI("com.example.app:/callback"))
    }
    self.fixture.grantTokens(to: browser)
    browser.deliver(SignInFixture.response(to: try FormParameters(parsing: browser.opened[0].split(separator: "?")[1])))
    #expect(try await signIn.value.accessToken().reveal() == "access-1")
  }

  @Test("if no browser can be opened, the sign-in ends with an error immediately")
  func noBrowser() async throws {
    let browser = try FakeBrowser(openError: .noBrowser(tried: ["xdg-open"])) { _ in [] }
    await #expect(throws: SignInError.userAgent(.noBrowser(tried: ["xdg-open"]))) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
  }

  @Test(
    "if the server responds to the request for its metadata with status 429 or 503, sign-in and refresh throw `unavailable`",
    arguments: [429, 503])
  func unavailableMetadata(status: Int) async throws {
    let session = try await self.fixture.signIn()
    // The client caches the metadata for an hour.
    self.fixture.clock.advance(by: .seconds(3600))
    for url in [self.fixture.server.configurationURL, SignInFixture.oauthMetadataURL] {
      self.fixture.transport.on(url, respond: .text("", status: .init(code: status)))
    }
    await #expect(throws: SessionError.unavailable(status: status)) { try await session.refresh() }
    let browser = try self.fixture.browser()
    await #expect(throws: SignInError.unavailable(status: status)) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
  }

  @Test("C-02: a server that lists challenge methods without S256 gets no authorization request")
  func noS256() async throws {
    let fixture = try SignInFixture { $0.metadata.codeChallengeMethodsSupported = ["plain"] }
    let browser = try fixture.browser()
    await #expect(throws: SignInError.discovery(.s256NotSupported)) {
      try await fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    #expect(browser.opened.isEmpty)
  }

  @Test("C-02: S256 is used with a server that lists no challenge methods")
  func silentAboutPKCE() async throws {
    let fixture = try SignInFixture { $0.metadata.codeChallengeMethodsSupported = nil }
    let browser = try fixture.browser()
    fixture.grantTokens(to: browser)
    _ = try await fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    #expect(browser.opened[0].contains("code_challenge_method=S256"))
  }

  @Test("C-23: an http issuer on another machine is rejected, and so is an https issuer that names http endpoints")
  func noDowngrade() async throws {
    #expect(throws: EndpointURLError.plainHTTP) { try Issuer("http://id.example") }
    let fixture = try SignInFixture { $0.metadata.tokenEndpoint = "http://127.0.0.1:1/token" }
    let browser = try fixture.browser()
    await #expect(throws: SignInError.discovery(.downgrade(.token))) {
      try await fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
  }

  @Test(
    "C-25: an unsafe authorization endpoint in the metadata is not opened",
    arguments: ["file:///etc/passwd", "javascript:alert(1)", "-flag", "https://id.example/a\nb", "https://id.example/\"x"])
  func hostileMetadata(_ endpoint: String) async throws {
    let fixture = try SignInFixture { $0.metadata.authorizationEndpoint = endpoint }
    let browser = try fixture.browser()
    await #expect(throws: SignInError.self) {
      try await fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    #expect(browser.opened.isEmpty)
  }

  @Test("C-29: an ID token for another request is rejected, and no session is stored")
  func wrongNonce() async throws {
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser) { $0["nonce"] = "another" }
    await #expect(throws: SignInError.idToken(.nonceMismatch)) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    #expect(browser.outcomes == [.failed])
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("a response without the requested ID token is rejected")
  func noIDToken() async throws {
    let browser = try self.fixture.browser()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: nil))
    await #expect(throws: SignInError.tokenResponse(.idTokenMissing)) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
  }

  @Test("if the server rejects the code, the error's text has no control characters and contains neither code nor verifier")
  func refusedCode() async throws {
    let browser = try self.fixture.browser()
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      let verifier = request.form?["code_verifier"] ?? ""
      return .success(SignInFixture.error("invalid_grant", description: "code code-1 with \(verifier)\u{1B}[2J"))
    }
    let error = await #expect(throws: SignInError.self) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    guard case .refused(let errorResponse) = error else { throw Unexpected() }
    #expect(errorResponse.code == .invalidGrant)
    #expect(errorResponse.description == "code <redacted> with <redacted>[2J")
  }

  @Test("if the tokens cannot be stored, the sign-in fails")
  func storeFails() async throws {
    // The sign-in does not request the scope `openid`, so the response contains no ID token and needs no nonce.
    self.fixture.grantTokens(nonce: nil)
    let store = self.fixture.store
    let browser = try FakeBrowser { request in
      store.saveError = .failed(reason: "no space")
      return [SignInFixture.response(to: request)]
    }
    await #expect(throws: SignInError.store(.failed(reason: "no space"))) {
      try await self.fixture.client().signIn(scopes: [.notes], via: browser, receiver: browser)
    }
    #expect(browser.outcomes == [.failed])
  }

  @Test("the stored data contains no verifier or state after a sign-in")
  func nothingLeft() async throws {
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser)
    _ = try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    let authorizationRequest = try FormParameters(parsing: browser.opened[0].split(separator: "?")[1])
    let verifier = try #require(self.fixture.tokenRequests[0].form?["code_verifier"])
    for text in self.fixture.store.texts {
      #expect(!text.contains(verifier))
      #expect(!text.contains(try #require(authorizationRequest["state"])))
    }
  }

  private struct Unexpected: Error {}
}

extension Scope {
  fileprivate static let notes: Scope = "notes"
}
