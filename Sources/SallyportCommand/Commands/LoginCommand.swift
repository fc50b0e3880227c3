import ArgumentParser
import Sallyport
import SallyportDesktop
import SallyportProtocol
import SallyportSystem

/// `sallyport login`
struct LoginCommand: AsyncParsableCommand, VerboseCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in through your browser, or without one.",
    discussion: """
      Opens the server's page in your own browser and waits for the response on a loopback port (RFC 8252). Without a \
      display, for example over SSH or in a container, the command shows a code for another device (RFC 8628) if the server allows this \
      client to use one. Otherwise, in a terminal, you sign in with a browser on another machine and paste the final URL. \
      Many servers do not allow clients that registered themselves to use codes.

      For Google, Microsoft, GitHub, and other known providers, specify --provider, and --client-id with the client identifier \
      that you registered there. For another server, specify --issuer. For an MCP server, or any other API that publishes its authorization servers (RFC 9728), specify only --resource. \
      Without --client-id, this installation registers itself at the server once (RFC 7591). Without --provider, --resource, --issuer, \
      or --client-id, you sign in to the account of --profile, or the current account, with its previous options.

      In a terminal, the command asks for the server and the client if you specify neither and are not signed in.

        sallyport login --provider google --client-id ID --client-secret-file client-secret.txt
        sallyport login --issuer https://id.example.com --client-id ID --profile work

      Tokens are bearer tokens, for use with `sallyport token`; --dpop binds them to this installation.
      """)

  @OptionGroup(title: "Server and account")
  var options: LoginOptions

  @OptionGroup(title: "Authorization request")
  var request: RequestParameterOptions

  @OptionGroup(title: "Sign-in method (the default depends on this machine)")
  var method: SignInMethodOptions

  @Option(help: "The number of seconds to wait for the sign-in.")
  var timeout: Int = 600

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var verbosity: VerbosityOptions

  func validate() throws {
    guard (1...86_400).contains(self.timeout) else { throw ValidationError("--timeout must be from 1 to 86400 seconds.") }
  }

  func run() async throws {
    let store = CommandEnvironment.store
    var accountOptions = self.options
    if Output.canAsk { try await accountOptions.askForServer(store) }
    let target = try await accountOptions.target(in: store, parameters: self.request)
    let environment = SignInEnvironment.current
    let plan = environment.plan(choosing: self.method.chosen)
    try target.checkSecret(plan)
    let timeout = Duration.seconds(self.timeout)
    let waiting = WaitingLine(timeout: timeout)
    let isOnThisMachine = !environment.isSSH && !environment.isContainer
    let browser = AnnouncedBrowser(try self.method.systemBrowser(), isOnThisMachine: isOnThisMachine, waiting: waiting)
    let session: OAuthSession
    let account: Account
    do {
      defer { waiting.end() }
      (session, account) = try await Interrupts.canceling {
        let resolved = try await target.resolve(over: CommandEnvironment.transport)
        let usable = try resolved.usablePlan(from: plan)
        let conversation = SignInConversation(
          usable, resolved.account, isFirst: target.existingAccount == nil,
          registrationLacksDeviceGrant: resolved.registrationLacksDeviceGrant, waiting: waiting)
        conversation.begin()
        var options = try resolved.options(timeout: timeout, target.oneTimeParameters)
        options.progress = { conversation.follow($0) }
        do {
          let session = try await resolved.client.signIn(
            options,
            redirects: .automatic(usable, browser: browser, redirectURI: resolved.account.redirectURI) { conversation.show($0) })
          return (session, resolved.account)
        } catch {
          throw conversation.deviceFailure(error) ?? conversation.pasteFailure(error)
            ?? CommandFailure(login: error, to: resolved.account, waitingFor: conversation.pendingRedirectURI)
        }
      }
    } catch {
      throw CommandFailure(login: error)
    }
    if let secret = target.clientSecret { try await StoredClientSecret.save(secret, for: account, in: store) }
    let book = AccountBook(store)
    for replaced in try await book.remember(account) { await Self.end(replaced) }
    try await self.report(session, account, in: book)
  }

  /// Signs out of an account that was replaced. Errors are ignored, because the new sign-in has succeeded.
  private static func end(_ account: Account) async {
    _ = try? await CommandEnvironment.client(for: account).signOut()
  }

  /// Returns what the server says about the user:
  ///
  /// - With an ID token, the claims of the ID token. If these claims contain neither a name nor a user name, and the
  ///   tokens are not for an API, the claims that the UserInfo endpoint returns instead.
  /// - Without an ID token, the response to the request that the provider defines for this purpose
  ///   (``ServerConfiguration/account``). `nil` if the provider defines none, or if the request fails.
  private static func user(of session: OAuthSession, at server: ServerConfiguration) async -> UserInfo? {
    guard let user = await session.claims.map(UserInfo.init) else {
      return server.account == nil ? nil : try? await session.userInfo()
    }
    guard await session.resources.isEmpty else { return user }
    if user.preferredUsername != nil || user.name != nil { return user }
    return (try? await session.userInfo()) ?? user
  }

  /// Saves the user's name with the account, and prints the result of the sign-in.
  private func report(_ session: OAuthSession, _ account: Account, in book: AccountBook) async throws {
    var account = account
    let user = await Self.user(of: session, at: try account.configuration)
    account.user = user.map { $0.preferredUsername ?? $0.name ?? $0.subject }
    if account.user != nil { try await book.remember(account) }
    if let note = try await account.noteAboutScope(granted: session.scope) { Output.message(note) }
    if let note = try await account.noteAboutRenewal(of: session) { Output.message(note) }
    if self.json {
      try Output.result(
        json: LoginReport(
          account: account, subject: user?.subject, name: user?.name, preferredUsername: user?.preferredUsername,
          scope: await session.scope.description,
          expiresAt: await session.expiration.map { Timestamp($0).seconds }, renewable: await session.isRenewable))
    } else {
      let name = account.user.map { " as \(Printable.text($0))" } ?? ""
      let place = account.resource.map { "\($0) at \(account.issuer)" } ?? "\(account.issuer)"
      Output.result("Signed in to \(place)\(name).")
    }
  }
}

/// The output of `login --json`: the members of the account, and the other properties of this type.
private struct LoginReport: Encodable {
  var account: Account
  var subject: String?
  var name: String?
  var preferredUsername: String?
  /// The granted scope, which can differ from the requested scope.
  var scope: String
  /// Seconds since 1970, or `nil` if unknown.
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
