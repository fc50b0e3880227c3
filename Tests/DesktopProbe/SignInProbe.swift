import Sallyport
import SallyportDesktop
import SallyportProtocol

/// A sign-in that one process starts and another one finishes. Both use the same encrypted file store.
struct SignInProbe {
  private let client: OAuthClient

  init(folder: String, issuer: String) throws {
    self.client = OAuthClient(
      issuer: try Issuer(issuer), clientID: "probe", store: EncryptedFileStore(folder: folder), transport: ProbeTransport())
  }

  /// - Parameter argument: The redirect URI for a new sign-in, or the URL that the platform opened the app with.
  func run(_ command: String, _ argument: String?) async throws {
    do {
      switch (command, argument) {
      case ("begin", nil): try await self.begin { try await self.client.beginSignIn($0, receiver: LoopbackReceiver()) }
      case ("begin", let redirect?):
        let redirectURI = try RedirectURI(redirect)
        try await self.begin { try await self.client.beginSignIn($0, redirect: redirectURI) }
      case ("sign-in", _):
        let page = ManualBrowser { StoreProbe.say($0.value) }
        try await self.tell(self.client.signIn(Self.options, via: page, receiver: LoopbackReceiver()))
      case ("resume", let callbackURL?): try await self.tell(self.client.resume(from: callbackURL))
      default: try await self.tell(self.client.resume(receiver: TellingReceiver()))
      }
    } catch {
      StoreProbe.say("\(error)")
    }
  }

  private static var options: SignInOptions { SignInOptions(scopes: ["notes"]) }

  /// Keeps running until it is killed.
  private func begin(_ begin: (SignInOptions) async throws -> BrowserURL) async throws {
    StoreProbe.say(try await begin(Self.options).value)
    while readLine() != nil {}
  }

  private func tell(_ session: OAuthSession?) async throws {
    guard let session else { return StoreProbe.say("no sign-in waits") }
    StoreProbe.say(try await session.accessToken(minimumLifetime: .zero).reveal())
  }
}

/// A receiver that prints a line when its port is open.
private struct TellingReceiver: RedirectReceiver {
  func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await LoopbackReceiver().withRedirect(for: server, body)
  }

  func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await LoopbackReceiver().withRedirect(at: redirectURI) { bound in
      StoreProbe.say("listening on \(bound.redirectURI)")
      return try await body(bound)
    }
  }
}
