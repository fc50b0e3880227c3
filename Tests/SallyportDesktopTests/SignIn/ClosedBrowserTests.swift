import Glibc
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@testable import SallyportDesktop

/// Tests sign-ins whose browser exits or sends no response. The app cannot know that the user closed the tab, because
/// RFC 8252 defines no signal for it.
@Suite("Closed browsers", .timeLimit(.minutes(1)))
struct ClosedBrowserTests {
  private let folder = TemporaryFolder()
  private let server: TestIssuer
  private let client: OAuthClient

  init() throws {
    let transport = FakeTransport()
    self.server = try TestIssuer()
    self.server.publish(on: transport)
    let response = #"{"access_token":"a-1","token_type":"Bearer","expires_in":600}"#
    transport.on(self.server.metadata.tokenEndpoint ?? "", respond: .json(response))
    self.client = OAuthClient(
      issuer: self.server.issuer, clientID: "notes", store: EncryptedFileStore(folder: self.folder.path + "/data"),
      transport: transport)
  }

  @Test("C-11: a browser process that exits does not end the sign-in, because another process may send the response")
  func waitContinues() async throws {
    let browser = try self.browser(
      "printf %s \"$1\" > \"$0.part\"\necho $$ > \"$0.pid\"\nmv \"$0.part\" \"$0.url\"\nexec sleep 1000\n")
    // A browser that is killed while the SDK watches its process counts as failed, so the test kills this browser only
    // after the SDK has stopped watching.
    let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
    let watched = WatchedBrowser(browser: browser) { continuation.yield() }
    let signIn = Task {
      try await self.client.signIn(SignInOptions(scopes: ["notes"]), via: watched, receiver: LoopbackReceiver())
    }
    for await _ in opened { break }
    while self.text("browser.url").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let process = try #require(pid_t(self.text("browser.pid").split(separator: "\n").first ?? ""))
    kill(process, SIGTERM)
    while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }

    let redirect = try self.redirect()
    #expect(TestSocket.canConnect(port: redirect.port))
    let page = await TestBrowser.get(redirect.response)
    #expect(page.hasPrefix("HTTP/1.1 200 "))
    #expect(try await signIn.value.accessToken().reveal() == "a-1")
    #expect(!TestSocket.canConnect(port: redirect.port))
  }

  @Test("C-11: without a response, the sign-in ends with a timeout error, and the port is closed")
  func timesOut() async throws {
    let browser = try self.browser("printf %s \"$1\" > \"$0.part\"\nmv \"$0.part\" \"$0.url\"\n")
    let options = SignInOptions(scopes: ["notes"], timeout: .milliseconds(50))
    await #expect(throws: SignInError.timedOut) {
      try await self.client.signIn(options, via: browser, receiver: LoopbackReceiver())
    }
    while self.text("browser.url").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let port = try self.redirect().port
    #expect(!TestSocket.canConnect(port: port))
    #expect(!TestSocket.canConnect(.ipv6, port: port))
    #expect(SignInError.timedOut.explanation.problem == "the sign-in was not finished in time")
  }

  private func browser(_ script: String) throws -> SystemBrowser {
    self.folder.write("browser", Array("#!/bin/sh\n\(script)".utf8), mode: 0o700)
    return try SystemBrowser(command: self.folder.path + "/browser", environment: Environment([:]), watch: .milliseconds(10))
  }

  private func text(_ name: String) -> String {
    String(decoding: self.folder.read(name) ?? [], as: UTF8.self)
  }

  /// Returns the port of the redirect URI in the request that the browser opened, and the callback URL of a valid
  /// response.
  private func redirect() throws -> (port: UInt16, response: String) {
    let query = self.text("browser.url").split(separator: "?", maxSplits: 1).last ?? ""
    let request = try FormParameters(parsing: query)
    let uri = try #require(request["redirect_uri"])
    let response = [
      (name: "code", value: "c-1"), (name: "state", value: request["state"] ?? ""),
      (name: "iss", value: self.server.issuer.value),
    ]
    return (try #require(URIComponents(uri)?.port), "\(uri)?\(FormParameters.encode(response))")
  }
}

/// A user agent that calls `opened` when `browser.open` has returned. From then on, `browser` no longer watches its
/// process.
private struct WatchedBrowser: UserAgent {
  let browser: SystemBrowser
  let opened: @Sendable () -> Void

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    try await self.browser.open(url)
    self.opened()
  }
}
