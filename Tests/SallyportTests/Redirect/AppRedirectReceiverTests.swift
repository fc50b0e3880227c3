import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@Suite("Redirects that the operating system delivers to the app", .timeLimit(.minutes(1)))
struct AppRedirectReceiverTests {
  private static let callback = "com.example.app:/oauth2redirect/id.example"

  /// A browser that passes the URL to the test.
  private struct Browser: UserAgent {
    let openedURLs: AsyncStream<String>.Continuation
    func open(_ url: BrowserURL) async throws(UserAgentError) { self.openedURLs.yield(url.value) }
  }

  /// Starts a sign-in, and returns its task and the parameters of its authorization request.
  private static func begin(
    _ fixture: SignInFixture, _ receiver: AppRedirectReceiver
  ) async throws -> (signIn: Task<OAuthSession, any Error>, request: FormParameters) {
    let (stream, openedURLs) = AsyncStream.makeStream(of: String.self)
    let client = try fixture.client()
    let signIn = Task { try await client.signIn(scopes: [.openID], via: Browser(openedURLs: openedURLs), receiver: receiver) }
    var urls = stream.makeAsyncIterator()
    let url = try #require(await urls.next())
    return (signIn, try FormParameters(parsing: url.split(separator: "?", maxSplits: 1)[1]))
  }

  @Test("C-28: only the URL of the authorization response ends the wait, and other URLs are rejected")
  func delivers() async throws {
    let fixture = try SignInFixture()
    let receiver = AppRedirectReceiver(redirectURI: try RedirectURI(Self.callback))
    let (signIn, request) = try await Self.begin(fixture, receiver)
    fixture.grantTokens(nonce: request["nonce"])
    let query = FormParameters.encode([
      (name: "code", value: "code-1"), (name: "state", value: request["state"] ?? ""), (name: "iss", value: SignInFixture.issuer),
    ])
    #expect(!receiver.deliver("\(Self.callback)?error=access_denied"))
    #expect(!receiver.deliver("\(Self.callback)?error=access_denied&state=guess"))
    #expect(!receiver.deliver("com.example.app:/other?\(query)"))
    // The receiver returns `false` until the sign-in waits for the URL.
    while !receiver.deliver("\(Self.callback)?\(query)") { await Task.yield() }
    #expect(try await signIn.value.accessToken().reveal() == "access-1")
    #expect(!receiver.deliver("\(Self.callback)?\(query)"))
  }

  @Test("a canceled sign-in no longer waits for a URL")
  func cancelled() async throws {
    let fixture = try SignInFixture()
    let receiver = AppRedirectReceiver(redirectURI: try RedirectURI(Self.callback))
    let (signIn, request) = try await Self.begin(fixture, receiver)
    signIn.cancel()
    await #expect(throws: SignInError.cancelled) { try await signIn.value }
    #expect(!receiver.deliver("\(Self.callback)?code=1&state=\(request["state"] ?? "")"))
  }
}
