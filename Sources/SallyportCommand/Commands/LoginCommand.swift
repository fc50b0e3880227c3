import ArgumentParser
import Sallyport
import SallyportDesktop
import SallyportProtocol

/// `sallyport login`
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in through your browser.",
    discussion: "Opens the server's page in your own browser and waits for the answer on a loopback port (RFC 8252).")

  @Option(help: "The authorization server.", transform: Arguments.issuer)
  var issuer: Issuer

  @Option(name: .customLong("client-id"), help: "The client, as registered there.")
  var clientID: String

  @Option(
    help: ArgumentHelp("What to ask for, separated by spaces.", discussion: "By default \(Arguments.defaultScope)."),
    transform: Arguments.scope)
  var scope: Scope = Arguments.defaultScope

  @Option(help: "The browser: a program and its arguments, run without a shell; the URL is appended.")
  var browser: String?

  @Option(
    name: .customLong("redirect-uri"),
    help: "The loopback redirect URI that is registered; without a port in it a free one is taken.",
    transform: Arguments.redirectURI)
  var redirectURI: RedirectURI?

  @Option(help: "How many seconds to wait for you.")
  var timeout: Int = 600

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...86_400).contains(self.timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds.") }
    guard !self.clientID.isEmpty else { throw ValidationError("--client-id is empty.") }
  }

  func run() async throws {
    let account = Account(issuer: self.issuer, clientID: self.clientID)
    let browser = TalkingBrowser(try self.systemBrowser())
    let receiver = LoopbackReceiver(redirectURI: self.redirectURI)
    let options = SignInOptions(scopes: [self.scope], timeout: .seconds(self.timeout))
    let session: Session
    do {
      session = try await Interrupts.cancelling {
        try await CommandEnvironment.client(for: account).signIn(options, via: browser, receiver: receiver)
      }
    } catch let error as SignInError {
      throw CommandFailure(error)
    }
    try await account.remember(in: CommandEnvironment.store)
    try await self.report(session)
  }

  private func systemBrowser() throws -> SystemBrowser {
    guard let command = self.browser else { return .automatic }
    do {
      return try SystemBrowser(command: command)
    } catch .empty {
      throw ValidationError("--browser is empty.")
    } catch {
      throw ValidationError("--browser has a quote or a backslash without its end.")
    }
  }

  /// The ID token's word; where it has no name, the userinfo endpoint's, which may fail without harm.
  private static func person(of session: Session) async -> UserInfo? {
    guard let person = await session.claims.map(UserInfo.init) else { return nil }
    if person.preferredUsername != nil || person.name != nil { return person }
    return (try? await session.userInfo()) ?? person
  }

  private func report(_ session: Session) async throws {
    let person = await Self.person(of: session)
    if self.json {
      try Output.result(
        json: LoginReport(
          issuer: self.issuer.value, clientID: self.clientID, subject: person?.subject, name: person?.name,
          preferredUsername: person?.preferredUsername, scope: await session.scope.description,
          expiresAt: await session.expiration?.seconds, renewable: await session.isRenewable))
    } else {
      let name = person.map { " as \(Printable.text($0.preferredUsername ?? $0.name ?? $0.subject))" } ?? ""
      Output.result("Signed in to \(self.issuer)\(name).")
    }
  }
}

/// What `login --json` prints.
private struct LoginReport: Encodable {
  var issuer: String
  var clientID: String
  var subject: String?
  var name: String?
  var preferredUsername: String?
  var scope: String
  /// Seconds since 1970.
  var expiresAt: Int64?
  var renewable: Bool

  private enum CodingKeys: String, CodingKey {
    case issuer
    case clientID = "client_id"
    case subject = "sub"
    case name
    case preferredUsername = "preferred_username"
    case scope
    case expiresAt = "expires_at"
    case renewable
  }
}
