import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Pushed request policy", .timeLimit(.minutes(1)))
struct PushedRequestPolicyTests {
  private static let url = "https://id.example/par"

  /// Signs in with this policy.
  /// - Parameter offered: Whether the server's metadata names the endpoint for pushed requests and requires them.
  private func signIn(_ policy: ServerConfiguration.PushedRequestPolicy, offered: Bool) async throws -> (
    fixture: SignInFixture, browser: FakeBrowser
  ) {
    let fixture = try SignInFixture {
      $0.metadata.pushedAuthorizationRequestEndpoint = offered ? Self.url : nil
      $0.metadata.requirePushedAuthorizationRequests = offered
    }
    fixture.transport.on(
      Self.url, respond: .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:1","expires_in":60}"#, status: .created))
    var server = ServerConfiguration(issuer: fixture.server.issuer)
    server.pushedRequests = policy
    let browser = try FakeBrowser { request in
      [SignInFixture.response(to: request)]
    }
    fixture.grantTokens(to: browser)
    let client = OAuthClient(
      server: server, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
      now: fixture.clock.dates)
    _ = try await client.signIn(SignInOptions(scopes: ["read"], timeout: .seconds(5)), via: browser, receiver: browser)
    return (fixture, browser)
  }

  @Test("with the policy never, the request goes through the browser, even if the server requires pushed requests")
  func never() async throws {
    let (fixture, browser) = try await self.signIn(.never, offered: true)
    #expect(fixture.transport.requests(to: Self.url).isEmpty)
    #expect(browser.opened.first?.contains("code_challenge=") == true)
  }

  @Test("with the policy required, a server without the endpoint causes an error")
  func required() async throws {
    await #expect(throws: SignInError.pushedRequest(.endpointMissing)) { try await self.signIn(.required, offered: false) }
  }

  @Test("with the policy whenOffered, a server without the endpoint gets the request through the browser")
  func whenOffered() async throws {
    let (_, browser) = try await self.signIn(.whenOffered, offered: false)
    #expect(browser.opened.first?.contains("code_challenge=") == true)
  }
}
