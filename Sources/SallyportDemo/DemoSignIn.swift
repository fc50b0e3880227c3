import BrowserDriver
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop
import SallyportProtocol

/// The client side of the demo: a sign-in with the SDK.
struct DemoSignIn: Sendable {
  let server: DemoServer
  let process: ChildProcess
  let method: DemoMethod
  let user: DemoUser
  private let timeline = DemoTimeline()

  init(server: DemoServer, process: ChildProcess, method: DemoMethod, user: DemoUser) {
    self.server = server
    self.process = process
    self.method = method
    self.user = user
  }

  func run() async throws -> DemoResult {
    try await AsyncHTTPClientTransport.withTransport { transport in
      let client = OAuthClient(
        issuer: try Issuer(self.server.issuer), clientID: DemoServer.clientID,
        store: EncryptedFileStore(folder: self.clientFolder),
        transport: TimedTransport(base: transport, timeline: self.timeline), appName: "Sallyport demo app")
      let timeline = self.timeline
      let options = SignInOptions(scopes: [.openID, .profile, .email, .offlineAccess]) { progress in
        switch progress {
        case .opening: timeline.record(.appOpensURL)
        case .responseReceived: timeline.record(.redirectReceived)
        case .sendingSharedSecret, .skipped, .refreshTokenMissing: break
        }
      }
      let session = try await self.signIn(client, options)
      timeline.record(.tokensVerified)
      timeline.record(ServerLog(self.process.errorOutput))
      return try await DemoResult(session, timeline: timeline, screenshots: self.screenshots)
    }
  }

  private func signIn(_ client: OAuthClient, _ options: SignInOptions) async throws -> OAuthSession {
    switch self.method {
    case .browser(let command):
      self.printPassword()
      return try await client.signIn(
        options, via: try command.map(SystemBrowser.init(command:)) ?? .systemBrowser, receiver: LoopbackReceiver())
    case .printedURL:
      self.printPassword()
      return try await client.signIn(options, via: URLPrinter(), receiver: LoopbackReceiver())
    case .headless:
      Output.message("Headless Chromium adds a passkey to the demo user's account, and signs in with it.")
      return try await withBrowser { browser in
        let user = HeadlessUser(browser: browser, folder: self.screenshotFolder)
        try await user.addPasskey(as: self.user, at: self.server.issuer)
        return try await Self.signIn(client, options, as: user)
      }
    }
  }

  private static func signIn(_ client: OAuthClient, _ options: SignInOptions, as user: HeadlessUser) async throws -> OAuthSession
  {
    try await withThrowingTaskGroup(of: OAuthSession?.self) { group in
      group.addTask { try await client.signIn(options, via: user, receiver: LoopbackReceiver()) }
      group.addTask {
        try await user.run()
        return nil
      }
      // The task of the client returns the session, and the task of the user returns nil.
      var session: OAuthSession?
      while let result = try await group.next() { session = session ?? result }
      guard let session else { throw DemoError("The sign-in did not finish.") }
      return session
    }
  }

  /// Prints the password, which is valid only for the demo server, and only until the next run.
  private func printPassword() {
    Output.message(
      """
      Sign in as '\(DemoUser.username)' with the password '\(self.user.password.reveal())'. To sign in with a passkey next time, \
      add one at \(self.server.issuer)/account while the demo runs.
      """)
  }

  /// The folder of the client's token store. Each port of the server has its own folder, because the issuer contains
  /// the port, but the redirect URI contains only the issuer's host. With a shared store, the client would reject the
  /// redirect URI, because it was used with another issuer (RFC 8252 §8.10).
  private var clientFolder: String { "\(self.server.dataDirectory)/client-\(self.server.port)" }
  private var screenshotFolder: String { self.server.dataDirectory + "/screenshots" }

  private var screenshots: [String] {
    guard case .headless = self.method else { return [] }
    return HeadlessUser.pages.map { "\(self.screenshotFolder)/\($0).png" }
  }
}

/// Prints the URL, because there is no display on which a browser could open. The user must open it in a browser that
/// can reach this machine's loopback address.
struct URLPrinter: UserAgent {
  func open(_ url: BrowserURL) async throws(UserAgentError) {
    Output.message("Open this URL in a browser on this machine:\n\n\(url.value)\n")
  }
}
