import Sallyport
import SallyportDesktop
import SallyportProtocol

/// Starts or finishes a sign-in. The process that finishes a sign-in can differ from the process that started it. All
/// processes use the same encrypted file store.
struct SignInProbe {
  private let client: OAuthClient

  init(folder: String, issuer: String) throws {
    self.client = OAuthClient(
      issuer: try Issuer(issuer), clientID: "probe", store: EncryptedFileStore(folder: folder), transport: ProbeTransport())
  }

  /// - Parameters:
  ///   - command: `begin` starts a sign-in and then waits to be killed. `sign-in` starts a sign-in and finishes it.
  ///     `resume` finishes a sign-in that another process started.
  ///   - argument: With `begin`, the redirect URI, or `nil` to use a loopback receiver. With `resume`, the URL that the
  ///     platform opened the app with, or `nil` to wait for it with a loopback receiver.
  func run(_ command: String, _ argument: String?) async throws {
    do {
      switch (command, argument) {
      case ("begin", nil): try await self.begin { try await self.client.beginSignIn($0, receiver: LoopbackReceiver()) }
      case ("begin", let redirect?):
        let redirectURI = try RedirectURI(redirect)
        try await self.begin { try await self.client.beginSignIn($0, redirect: redirectURI) }
      case ("sign-in", _):
        let browser = ManualBrowser { StoreProbe.printLine($0.value) }
        try await self.printAccessToken(of: self.client.signIn(Self.options, via: browser, receiver: LoopbackReceiver()))
      case ("resume", let callbackURL?): try await self.printAccessToken(of: self.client.resume(from: callbackURL))
      default: try await self.printAccessToken(of: self.client.resume(receiver: PrintingReceiver()))
      }
    } catch {
      StoreProbe.printLine("\(error)")
    }
  }

  private static var options: SignInOptions { SignInOptions(scopes: ["notes"]) }

  /// Starts a sign-in, prints the URL to open, and keeps running until the process is killed or its standard input
  /// ends.
  private func begin(_ begin: (SignInOptions) async throws -> BrowserURL) async throws {
    StoreProbe.printLine(try await begin(Self.options).value)
    while readLine() != nil {}
  }

  private func printAccessToken(of session: OAuthSession?) async throws {
    guard let session else { return StoreProbe.printLine("no sign-in waits") }
    StoreProbe.printLine(try await session.accessToken(minimumLifetime: .zero).reveal())
  }
}

/// A loopback receiver that prints a line when it listens again on the port of a sign-in that another process started.
private struct PrintingReceiver: RedirectReceiver {
  func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await LoopbackReceiver().withRedirect(for: server, body)
  }

  func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await LoopbackReceiver().withRedirect(at: redirectURI) { bound in
      StoreProbe.printLine("listening on \(bound.redirectURI)")
      return try await body(bound)
    }
  }
}
