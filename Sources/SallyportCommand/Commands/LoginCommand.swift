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
      container and without a display it shows a code for another device (RFC 8628) where the server lets this client use one, \
      and otherwise takes the address that the browser of another machine ends on. Many servers do not let clients that \
      registered themselves use such codes.

      --resource alone is enough for an MCP server, or any API that says who may sign somebody in (RFC 9728). Where no client \
      is named this installation registers itself at the server (RFC 7591), once. Without any of them you sign in to the \
      account of --profile again, or to the default one, with what you gave then.

      Tokens are bearer tokens, for use with `sallyport token`; --dpop binds them to this installation.
      """)

  @OptionGroup var options: LoginOptions

  @OptionGroup(title: "Way to sign in (by default the one that works here)")
  var way: WayOptions

  @Option(help: "How many seconds to wait for you.")
  var timeout: Int = 600

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...86_400).contains(self.timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds.") }
  }

  func run() async throws {
    let store = CommandEnvironment.store
    let target = try await self.options.target(in: store)
    let surroundings = SignInEnvironment.current
    let plan = surroundings.plan(choosing: self.way.chosen)
    let browser = TalkingBrowser(try self.way.systemBrowser(), isHere: !surroundings.isSSH && !surroundings.isContainer)
    let timeout = Duration.seconds(self.timeout)
    let session: OAuthSession
    let account: Account
    do {
      (session, account) = try await Interrupts.cancelling {
        let resolved = try await target.resolve(over: CommandEnvironment.transport)
        let usable = try resolved.usable(plan)
        let conversation = SignInConversation(usable, isDeniedDeviceGrant: resolved.isDeniedDeviceGrant)
        conversation.begin()
        let session = try await resolved.client.signIn(
          resolved.options(timeout: timeout),
          redirects: .automatic(usable, browser: browser, redirectURI: resolved.account.redirectURI) { conversation.tell($0) })
        return (session, resolved.account)
      }
    } catch {
      throw CommandFailure(login: error)
    }
    for replaced in try await AccountBook(store).remember(account) { await Self.end(replaced) }
    try await self.report(session, account)
  }

  /// Signs out of what a profile stood for until now; should it fail, its tokens run out.
  private static func end(_ account: Account) async {
    _ = try? await CommandEnvironment.client(for: account).signOut()
  }

  /// The ID token's word; where it has no name, the userinfo endpoint's, which may fail without harm.
  private static func person(of session: OAuthSession) async -> UserInfo? {
    guard let person = await session.claims.map(UserInfo.init) else { return nil }
    guard await session.resources.isEmpty else { return person }
    if person.preferredUsername != nil || person.name != nil { return person }
    return (try? await session.userInfo()) ?? person
  }

  private func report(_ session: OAuthSession, _ account: Account) async throws {
    let person = await Self.person(of: session)
    if self.json {
      try Output.result(
        json: LoginReport(
          account: account, subject: person?.subject, name: person?.name, preferredUsername: person?.preferredUsername,
          scope: await session.scope.description,
          expiresAt: await session.expiration.map { Timestamp($0).seconds }, renewable: await session.isRenewable))
    } else {
      let name = person.map { " as \(Printable.text($0.preferredUsername ?? $0.name ?? $0.subject))" } ?? ""
      let place = account.resource.map { "\($0) at \(account.issuer)" } ?? "\(account.issuer)"
      Output.result("Signed in to \(place)\(name).")
    }
  }
}

/// What `login --json` prints: the account's own members, and these.
private struct LoginReport: Encodable {
  var account: Account
  var subject: String?
  var name: String?
  var preferredUsername: String?
  /// What was granted, which may be less than what the account asks for.
  var scope: String
  /// Seconds since 1970.
  var expiresAt: Int64?
  var renewable: Bool

  private enum CodingKeys: String, CodingKey {
    case subject = "sub"
    case name
    case preferredUsername = "preferred_username"
    case scope
    case expiresAt = "expires_at"
    case renewable
  }

  func encode(to encoder: any Encoder) throws {
    try self.account.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(self.subject, forKey: .subject)
    try container.encodeIfPresent(self.name, forKey: .name)
    try container.encodeIfPresent(self.preferredUsername, forKey: .preferredUsername)
    try container.encode(self.scope, forKey: .scope)
    try container.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
    try container.encode(self.renewable, forKey: .renewable)
  }
}
