import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// Tests sign-ins that one process starts and another process finishes. Two clients with one store simulate the two
/// processes.
@Suite("Resumed sign-ins", .timeLimit(.minutes(1)))
struct ResumeTests {
  private let fixture: SignInFixture
  private static let privateUse = "com.example.app:/oauth2redirect/id.example"

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// Starts a sign-in in a simulated process.
  /// - Returns: The parameters of the authorization request.
  private func begin(
    _ redirectURI: String = Self.privateUse, timeout: Duration = .seconds(600), account: String? = nil
  ) async throws -> FormParameters {
    let client = try self.fixture.client(account: account)
    let url = try await client.beginSignIn(
      SignInOptions(scopes: [.openID], timeout: timeout), redirect: try RedirectURI(redirectURI))
    let request = try FormParameters(parsing: url.value.split(separator: "?", maxSplits: 1)[1])
    self.fixture.grantTokens(nonce: request["nonce"])
    return request
  }

  private static func response(
    to request: FormParameters, on redirectURI: String = Self.privateUse, iss: String = SignInFixture.issuer
  ) -> String {
    let query = FormParameters.encode([
      (name: "code", value: "code-1"), (name: "state", value: request["state"] ?? ""), (name: "iss", value: iss),
    ])
    return "\(redirectURI)?\(query)"
  }

  @Test(
    "C-28: the callback URL that the platform delivers finishes a sign-in whose process has ended",
    arguments: [Self.privateUse, "https://app.example/oauth2redirect/id.example", SignInFixture.callback])
  func survivesProcess(_ redirectURI: String) async throws {
    let request = try await self.begin(redirectURI)
    let session = try await self.fixture.client().resume(from: Self.response(to: request, on: redirectURI))
    #expect(try await session.accessToken().reveal() == "access-1")
    let form = try #require(self.fixture.tokenRequests.first?.form)
    #expect(form["redirect_uri"] == redirectURI)
    #expect(try CodeVerifier(form["code_verifier"] ?? "").challenge.value == request["code_challenge"])
    #expect(try await self.fixture.client().restoreSession() != nil)
  }

  @Test(
    "if an http or https redirect URI has no path, the response can have the path /, which browsers add, but no other path",
    arguments: ["http://localhost:50123", "https://app.example", "https://app.example?a=b"])
  func noPath(_ redirectURI: String) async throws {
    let request = try await self.begin(redirectURI)
    let parts = redirectURI.split(separator: "?", maxSplits: 1)
    let ownQuery = parts.count > 1 ? "\(parts[1])&" : ""
    let response = Self.response(to: request, on: "")
    for path in ["//", "/x", "/."] {
      await #expect(throws: SignInError.response(.wrongRedirectURI)) {
        try await self.fixture.client().resume(from: "\(parts[0])\(path)?\(ownQuery)\(response.dropFirst())")
      }
    }
    _ = try await self.fixture.client().resume(from: "\(parts[0])/?\(ownQuery)\(response.dropFirst())")
    #expect(self.fixture.tokenRequests.first?.form?["redirect_uri"] == redirectURI)
  }

  @Test("C-16: a response is used once, even if several processes receive it at the same time")
  func once() async throws {
    let request = try await self.begin()
    let response = Self.response(to: request)
    let outcomes = await withTaskGroup(of: SignInError?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do {
            _ = try await self.fixture.client().resume(from: response)
            return nil
          } catch {
            return error as? SignInError
          }
        }
      }
      return await group.reduce(into: [SignInError?]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .response(.alreadyReceived) } == 19)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  /// A URL that is not the response, and the error that it causes.
  struct ForeignURL: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let error: AuthorizationResponseError
    /// Returns the URL. The argument is the `state` parameter of the pending sign-in.
    let url: @Sendable (String) -> String

    init(_ name: String, _ error: AuthorizationResponseError, _ url: @escaping @Sendable (_ state: String) -> String) {
      (self.testDescription, self.error, self.url) = (name, error, url)
    }
  }

  static let foreignURLs: [ForeignURL] = [
    ForeignURL("another state", .stateMismatch) { _ in "\(Self.privateUse)?code=evil&state=guess" },
    ForeignURL("no state", .stateMissing) { _ in "\(Self.privateUse)?code=evil" },
    ForeignURL("an error without a state", .stateMissing) { _ in "\(Self.privateUse)?error=access_denied" },
    ForeignURL("two states", .repeatedParameter) { "\(Self.privateUse)?code=evil&state=\($0)&state=\($0)" },
    ForeignURL("another scheme", .wrongRedirectURI) { "com.example.other:/oauth2redirect/id.example?code=evil&state=\($0)" },
    ForeignURL("another path", .wrongRedirectURI) { "com.example.app:/other?code=evil&state=\($0)" },
    ForeignURL("two slashes", .wrongRedirectURI) { "com.example.app://oauth2redirect/id.example?code=evil&state=\($0)" },
    ForeignURL("a host", .wrongRedirectURI) { "com.example.app://evil/oauth2redirect/id.example?code=evil&state=\($0)" },
    ForeignURL("a fragment", .wrongRedirectURI) { "\(Self.privateUse)?code=evil&state=\($0)#x" },
    ForeignURL("text that is not a URL", .malformed) { _ in "hello world" },
    ForeignURL("too long", .malformed) { "\(Self.privateUse)?state=\($0)&x=\(String(repeating: "a", count: 20_000))" },
  ]

  @Test("C-16, C-18: a URL that is not the response is rejected, and the sign-in keeps waiting", arguments: foreignURLs)
  func foreignURL(_ foreign: ForeignURL) async throws {
    let request = try await self.begin()
    await #expect(throws: SignInError.response(foreign.error)) {
      try await self.fixture.client().resume(from: foreign.url(request["state"] ?? ""))
    }
    #expect(self.fixture.tokenRequests.isEmpty)
    _ = try await self.fixture.client().resume(from: Self.response(to: request))
  }

  @Test("C-19: a response with another server's iss ends the sign-in before the code is sent")
  func mixUp() async throws {
    let request = try await self.begin()
    await #expect(throws: SignInError.response(.issuerMismatch)) {
      try await self.fixture.client().resume(from: Self.response(to: request, iss: "https://evil.example"))
    }
    await #expect(throws: SignInError.response(.alreadyReceived)) {
      try await self.fixture.client().resume(from: Self.response(to: request))
    }
    #expect(self.fixture.tokenRequests.isEmpty)
  }

  @Test("a response after the timeout is reported as timed out, and the next sign-in removes the expired sign-in from the store")
  func expired() async throws {
    let request = try await self.begin(timeout: .seconds(60))
    self.fixture.clock.advance(by: .seconds(61))
    await #expect(throws: SignInError.timedOut) { try await self.fixture.client().resume(from: Self.response(to: request)) }
    _ = try await self.begin()
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains(request["state"] ?? "") })
    // After one day, the store no longer records that this sign-in existed.
    self.fixture.clock.advance(by: .seconds(90_000))
    await #expect(throws: SignInError.response(.stateMismatch)) {
      try await self.fixture.client().resume(from: Self.response(to: request))
    }
    #expect(self.fixture.tokenRequests.isEmpty)
  }

  @Test("if the device is offline when the response arrives, the sign-in can still be resumed")
  func offline() async throws {
    let request = try await self.begin()
    self.fixture.transport.on(self.fixture.server.configurationURL) { _ in .failure(.unreachable(reason: "offline")) }
    await #expect(throws: SignInError.discovery(.document(.transport(.unreachable(reason: "offline"))))) {
      try await self.fixture.client().resume(from: Self.response(to: request))
    }
    self.fixture.server.publish(on: self.fixture.transport)
    _ = try await self.fixture.client().resume(from: Self.response(to: request))
  }

  @Test(
    "C-22: no key in the store contains the state of a sign-in, and after the sign-in, no value contains the state or the verifier"
  )
  func nothingLeft() async throws {
    let request = try await self.begin()
    #expect(self.fixture.store.keys.allSatisfy { !"\($0)".contains(request["state"] ?? "-") })
    _ = try await self.fixture.client().resume(from: Self.response(to: request))
    let verifier = try #require(self.fixture.tokenRequests.first?.form?["code_verifier"])
    for text in self.fixture.store.texts {
      #expect(!text.contains(verifier))
      #expect(!text.contains(try #require(request["state"])))
    }
  }

  @Test("C-17: a pending sign-in that can be resumed reserves its redirect URI for its issuer")
  func holdsRedirectURI() async throws {
    _ = try await self.begin()
    let other = try TestIssuer("https://b.example")
    other.publish(on: self.fixture.transport)
    let client = OAuthClient(
      issuer: other.issuer, clientID: "notes", store: self.fixture.store, transport: self.fixture.transport,
      now: self.fixture.clock.dates)
    let redirectURI = try RedirectURI(Self.privateUse)
    await #expect(throws: SignInError.redirectURIBelongsTo(issuer: SignInFixture.issuer)) {
      try await client.beginSignIn(scopes: ["notes"], redirect: redirectURI)
    }
    // The reservation ends two minutes after the timeout of 600 seconds.
    self.fixture.clock.advance(by: .seconds(721))
    _ = try await client.beginSignIn(scopes: ["notes"], redirect: redirectURI)
  }

  @Test("only the last 16 abandoned sign-ins are kept in the store")
  func bounded() async throws {
    var requests: [FormParameters] = []
    for _ in 0..<24 {
      self.fixture.clock.advance(by: .milliseconds(1))
      requests.append(try await self.begin())
    }
    let keptRequests = requests.filter { request in
      self.fixture.store.texts.contains { $0.contains(request["state"] ?? "-") }
    }
    #expect(keptRequests.count == 16)
    _ = try await self.fixture.client().resume(from: Self.response(to: try #require(requests.last)))
  }

  @Test("the session belongs to the account for which the sign-in was started, regardless of which client resumes it")
  func account() async throws {
    let request = try await self.begin(account: "work")
    _ = try await self.fixture.client().resume(from: Self.response(to: request))
    #expect(try await self.fixture.client().restoreSession() == nil)
    #expect(try await self.fixture.client(account: "work").restoreSession() != nil)
  }

  @Test("C-16: the waiting process and another process that receives the same response do not both exchange the code")
  func liveAndResumed() async throws {
    let browser = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let waiting = Task { try await client.signIn(scopes: [.openID], via: browser, receiver: browser) }
    await browser.opening.wait()
    self.fixture.grantTokens(to: browser)
    let authorizationRequest = try FormParameters(parsing: browser.opened[0].split(separator: "?")[1])
    let response = SignInFixture.response(to: authorizationRequest)
    _ = try await self.fixture.client().resume(from: response)
    browser.deliver(response)
    await #expect(throws: SignInError.response(.alreadyReceived)) { try await waiting.value }
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("C-16: the waiting process does not use a response that arrives after another process canceled the sign-in")
  func canceledElsewhere() async throws {
    let browser = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let waiting = Task { try await client.signIn(scopes: [.openID], via: browser, receiver: browser) }
    await browser.opening.wait()
    await #expect(throws: SignInError.cancelled) {
      try await self.fixture.client().resume(receiver: CanceledReceiver(redirectURI: browser.redirectURI))
    }
    self.fixture.grantTokens(to: browser)
    browser.deliver(SignInFixture.response(to: try FormParameters(parsing: browser.opened[0].split(separator: "?")[1])))
    await #expect(throws: SignInError.cancelled) { try await waiting.value }
    #expect(self.fixture.tokenRequests.isEmpty)
  }

  /// A receiver whose task is canceled while it waits.
  private struct CanceledReceiver: RedirectReceiver {
    let redirectURI: RedirectURI

    func withRedirect<R: Sendable>(
      for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
    ) async throws -> R {
      try await self.withRedirect(at: self.redirectURI, body)
    }

    func withRedirect<R: Sendable>(
      at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
    ) async throws -> R {
      try await body(BoundRedirect(redirectURI: redirectURI) { _ in throw CancellationError() })
    }
  }

  @Test("C-28: after a crash, the next process continues a loopback sign-in with the same redirect URI")
  func loopbackAgain() async throws {
    let first = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let interrupted = Task { try await client.signIn(scopes: [.openID], via: first, receiver: first) }
    await first.opening.wait()
    // The copy contains what the store would contain if the process were killed here.
    let store = self.fixture.store.copy()
    interrupted.cancel()
    _ = await interrupted.result

    let authorizationRequest = try FormParameters(parsing: first.opened[0].split(separator: "?")[1])
    self.fixture.grantTokens(to: first)
    let second = try FakeBrowser { _ in [] }
    second.deliver(SignInFixture.response(to: authorizationRequest))
    let session = try #require(try await self.fixture.client(store: store).resume(receiver: second))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(second.reboundURIs == [SignInFixture.callback])
    #expect(second.outcomes == [.signedIn(appName: "Notes")])
    // No pending sign-in is left.
    #expect(try await self.fixture.client(store: store).resume(receiver: second) == nil)
    #expect(try await self.fixture.client().resume(receiver: second) == nil)
  }

  @Test("if the port cannot be bound again, the sign-in can be resumed later, until its timeout")
  func loopbackTaken() async throws {
    _ = try await self.begin(SignInFixture.callback, timeout: .seconds(60))
    let withoutPort = try FakeBrowser(bindError: .cannotBind(reason: "port 49152: in use")) { _ in [] }
    for _ in 0..<2 {
      await #expect(throws: SignInError.receiver(.cannotBind(reason: "port 49152: in use"))) {
        try await self.fixture.client().resume(receiver: withoutPort)
      }
    }
    self.fixture.clock.advance(by: .seconds(61))
    #expect(try await self.fixture.client().resume(receiver: withoutPort) == nil)
  }

  @Test("C-28: beginSignIn with a receiver uses a redirect URI that the receiver can bind, and releases the port")
  func beginWithReceiver() async throws {
    let browser = try FakeBrowser { _ in [] }
    let url = try await self.fixture.client().beginSignIn(SignInOptions(scopes: [.openID]), receiver: browser)
    let request = try FormParameters(parsing: url.value.split(separator: "?", maxSplits: 1)[1])
    #expect(request["redirect_uri"] == SignInFixture.callback)
    #expect(!browser.isReceiving)
    self.fixture.grantTokens(nonce: request["nonce"])
    browser.deliver(SignInFixture.response(to: request))
    #expect(try await self.fixture.client().resume(receiver: browser) != nil)
    let withoutPort = try FakeBrowser(bindError: .cannotBind(reason: "no port")) { _ in [] }
    await #expect(throws: SignInError.receiver(.cannotBind(reason: "no port"))) {
      try await self.fixture.client().beginSignIn(SignInOptions(scopes: [.openID]), receiver: withoutPort)
    }
  }

  @Test(
    "C-09: a redirect URI that this platform cannot deliver, or a loopback redirect URI without a port, is rejected before the client sends a request or stores anything"
  )
  func neverDelivered() async throws {
    let client = try self.fixture.client()
    // Only Windows delivers redirects with the scheme msapp.
    let error = await #expect(throws: SignInError.self) {
      try await client.beginSignIn(scopes: [.openID], redirect: try RedirectURI("msapp://s-1-15-2-1234"))
    }
    guard case .receiver(.cannotBind) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await #expect(throws: SignInError.redirectPortMissing) {
      try await client.beginSignIn(scopes: [.openID], redirect: try RedirectURI("http://127.0.0.1/oauth2redirect/id.example"))
    }
    #expect(self.fixture.transport.requests.isEmpty)
    #expect(self.fixture.store.keys.isEmpty)
  }

  @Test("a response to a canceled sign-in is reported as canceled")
  func cancelledBefore() async throws {
    let browser = try FakeBrowser { _ in [] }
    let client = try self.fixture.client()
    let waiting = Task { try await client.signIn(scopes: [.openID], via: browser, receiver: browser) }
    await browser.opening.wait()
    waiting.cancel()
    _ = await waiting.result
    let authorizationRequest = try FormParameters(parsing: browser.opened[0].split(separator: "?")[1])
    await #expect(throws: SignInError.cancelled) {
      try await self.fixture.client().resume(from: SignInFixture.response(to: authorizationRequest))
    }
    #expect(self.fixture.tokenRequests.isEmpty)
  }
}
