import ArgumentParser
import Sallyport
import SallyportDesktop
import SallyportProtocol

/// `sallyport login`
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in through your browser, or without one.",
    discussion: """
      Opens the server's page in your own browser and waits for the answer on a loopback port (RFC 8252). Over SSH, in a \
      container and without a display it shows a code for another device (RFC 8628) where the server offers that, and \
      otherwise takes the address that the browser of another machine ends on.

      Without --issuer and --client-id you sign in to the account of --profile again, or to the last one.
      """)

  @OptionGroup var options: AccountOptions

  @Option(
    help: ArgumentHelp("What to ask for, separated by spaces.", discussion: "By default \(Arguments.defaultScope)."),
    transform: Arguments.scope)
  var scope: Scope = Arguments.defaultScope

  @OptionGroup(title: "Way to sign in (by default the one that works here)")
  var way: WayOptions

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
  }

  func run() async throws {
    let store = CommandEnvironment.store
    let account = try await self.account(in: store)
    let surroundings = Surroundings.current
    let plan = surroundings.plan(choosing: self.way.chosen)
    let browser = TalkingBrowser(try self.way.systemBrowser(), isHere: !surroundings.isSSH && !surroundings.isContainer)
    let conversation = SignInConversation(plan)
    let options = SignInOptions(scopes: [self.scope], timeout: .seconds(self.timeout))
    let redirectURI = self.redirectURI
    let session: Session
    do {
      session = try await Interrupts.cancelling {
        conversation.begin()
        return try await CommandEnvironment.client(for: account).signIn(
          options,
          redirects: .automatic(plan, browser: browser, redirectURI: redirectURI) { conversation.tell($0) })
      }
    } catch let error as SignInError {
      throw CommandFailure(error)
    }
    try await AccountBook(store).remember(account)
    try await self.report(session, account)
  }

  private func account(in store: some TokenStore) async throws -> Account {
    if let account = try await self.options.choice.account(in: store) { return account }
    throw ValidationError("Nobody has signed in here yet: name the server and the client with --issuer and --client-id.")
  }

  /// The ID token's word; where it has no name, the userinfo endpoint's, which may fail without harm.
  private static func person(of session: Session) async -> UserInfo? {
    guard let person = await session.claims.map(UserInfo.init) else { return nil }
    if person.preferredUsername != nil || person.name != nil { return person }
    return (try? await session.userInfo()) ?? person
  }

  private func report(_ session: Session, _ account: Account) async throws {
    let person = await Self.person(of: session)
    if self.json {
      try Output.result(
        json: LoginReport(
          profile: account.profile, issuer: account.issuer.value, clientID: account.clientID, subject: person?.subject,
          name: person?.name, preferredUsername: person?.preferredUsername, scope: await session.scope.description,
          expiresAt: await session.expiration?.seconds, renewable: await session.isRenewable))
    } else {
      let name = person.map { " as \(Printable.text($0.preferredUsername ?? $0.name ?? $0.subject))" } ?? ""
      Output.result("Signed in to \(account.issuer)\(name).")
    }
  }
}

/// What `login --json` prints.
private struct LoginReport: Encodable {
  var profile: ProfileName?
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
    case profile
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
