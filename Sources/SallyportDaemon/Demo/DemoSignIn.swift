import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop
import SallyportProtocol

/// The client side of the demo: a sign-in with the SDK.
struct DemoSignIn: Sendable {
  let issuer: Issuer
  let way: DemoWay
  let person: DemoPerson
  let folder: String
  let timeline: DemoTimeline

  func run() async throws -> DemoResult {
    try await AsyncHTTPClientTransport.withTransport { transport in
      let client = OAuthClient(
        issuer: self.issuer, clientID: DemoClient.id, store: EncryptedFileStore(folder: self.clientFolder),
        transport: TimedTransport(base: transport, timeline: self.timeline), appName: "Sallyport demo app")
      let timeline = self.timeline
      let options = SignInOptions(scopes: [.openID, .profile, .email, .offlineAccess]) { progress in
        switch progress {
        case .opening: timeline.mark(.appOpensURL)
        case .answered: timeline.mark(.redirectReceived)
        case .sendingSharedSecret, .skipped: break
        }
      }
      let session = try await self.signIn(client, options)
      timeline.mark(.tokensVerified)
      return try await DemoResult(session, timeline: timeline, screenshots: self.screenshots)
    }
  }

  private func signIn(_ client: OAuthClient, _ options: SignInOptions) async throws -> OAuthSession {
    switch self.way {
    case .browser(let command):
      self.introduce()
      return try await client.signIn(
        options, via: try command.map(SystemBrowser.init(command:)) ?? .automatic, receiver: LoopbackReceiver())
    case .address:
      self.introduce()
      return try await client.signIn(options, via: PrintedAddress(), receiver: LoopbackReceiver())
    case .headless:
      Console.say("Nobody is here: headless Chromium signs in as the demo person.")
      let driver = HeadlessPerson(person: self.person, folder: self.screenshotFolder)
      return try await withThrowingTaskGroup(of: OAuthSession?.self) { group in
        group.addTask { try await client.signIn(options, via: driver, receiver: LoopbackReceiver()) }
        group.addTask {
          try await driver.run()
          return nil
        }
        var session: OAuthSession?
        while let result = try await group.next() { session = session ?? result }
        guard let session else { throw Failure("the sign-in did not finish") }
        return session
      }
    }
  }

  /// Prints the password, which is valid only for this run and only for the demo server.
  private func introduce() {
    Console.say("Sign in as \(DemoPerson.username) with the password \(self.person.password.reveal())")
  }

  /// A folder for each issuer, that is, for each port. A client must not use one redirect URI with two issuers (RFC
  /// 8252 §8.10).
  private var clientFolder: String { "\(self.folder)/client-\(self.issuer.url.components.port ?? 80)" }
  private var screenshotFolder: String { self.folder + "/screenshots" }

  private var screenshots: [String] {
    guard case .headless = self.way else { return [] }
    return HeadlessPerson.pages.map { "\(self.screenshotFolder)/\($0).png" }
  }
}

/// Prints the address, for a terminal without a display. The user opens it in a browser on this machine.
struct PrintedAddress: UserAgent {
  func open(_ url: BrowserURL) async throws(UserAgentError) {
    Console.say("Open this address in a browser on this machine:\n\n\(url.value)\n")
  }
}
