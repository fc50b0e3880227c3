import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportSystem

/// `sallyport logout`
struct LogoutCommand: AsyncParsableCommand, VerboseCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Sign out: revoke the tokens at the server and remove them here.",
    discussion: """
      If you choose no account, this signs out of the current account, which `sallyport status` shows. The exit code is 0 \
      even if you are not signed in, 1 if you choose an account that does not exist, and 2 if several accounts match your \
      choice.
      """)

  @OptionGroup var options: AccountOptions

  @Flag(help: "Sign out of all accounts.")
  var all = false

  @Flag(
    help: ArgumentHelp(
      "Also remove this installation's registration from the server (RFC 7592).",
      discussion: "This also signs out of all other accounts that use the registration."))
  var unregister = false

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var verbosity: VerbosityOptions

  func validate() throws {
    guard !self.all || (self.options.choice.isEmpty && !self.unregister) else {
      throw ValidationError("--all cannot be combined with --unregister or with options that choose an account.")
    }
  }

  func run() async throws {
    let store = CommandEnvironment.store
    if self.all { return try await self.signOutOfAll(store) }
    let account = try await self.options.choice.account(in: store)
    if self.unregister { return try await self.unregister(account, store) }
    guard let account else {
      let choice = self.options.choice
      guard choice.isEmpty, try CommandEnvironment.profile == nil else {
        throw try await choice.notSignedIn(in: store, .failed)
      }
      return try self.report(nil, nil)
    }
    try await self.checkUnambiguous(store)
    let outcome = try await Self.signOut(account, store)
    try self.report(outcome, account)
    if outcome == .revoked, account.provider?.revokesAllSessions == true { try await self.mentionOthers(account, store) }
  }

  /// Mentions the accounts whose sessions the provider probably ended too.
  private func mentionOthers(_ account: Account, _ store: some TokenStore) async throws {
    let otherAccounts = try await AccountBook(store).signedIn().filter { other in
      other.issuer == account.issuer && other.clientID == account.clientID && (other.user == account.user || other.user == nil)
    }
    guard !otherAccounts.isEmpty else { return }
    let words = otherAccounts.map { "\n  \($0.summary)" }.joined()
    Output.message(
      "\(account.issuer) ends all sessions of a user at once. If these accounts belong to the same user, sign in to them again:\(words)"
    )
  }

  /// Checks that the options choose only one of the accounts, because signing out cannot be undone.
  private func checkUnambiguous(_ store: some TokenStore) async throws {
    var choice = self.options.choice
    guard !choice.isEmpty else { return }
    choice.profile = try choice.profile ?? CommandEnvironment.profile
    let accounts = try await AccountBook(store).signedIn()
    let matching = SwitchChoice(options: choice).matches(in: accounts)
    guard matching.count > 1 else { return }
    let commands = matching.map { "\n  \(ShellWords("sallyport", "logout") + $0.options(among: accounts))" }.joined()
    throw ValidationError("Several accounts match. Choose one of them, or use --all:\(commands)")
  }

  /// Signs out of all accounts. If signing out of one fails, continues with the others, and throws the first error at
  /// the end. Stops if the user cancels.
  private func signOutOfAll(_ store: some TokenStore) async throws {
    var reports: [LogoutReport] = []
    var failure: CommandFailure?
    for account in try await AccountBook(store).signedIn() {
      do {
        let outcome = try await Self.signOut(account, store)
        self.warn(outcome, account)
        reports.append(LogoutReport(account, outcome))
        if !self.json { Output.result("Signed out of \(account.summary).") }
      } catch let error as CommandFailure {
        if error.status == .denied { throw error }
        failure = failure ?? error
      }
    }
    if self.json {
      try Output.result(json: reports)
    } else if reports.isEmpty, failure == nil {
      Output.message("You were not signed in.")
    }
    if let failure { throw failure }
  }

  /// Signs out of an account at the server, and removes the account and its client secret from this machine.
  /// - Returns: `nil` if the account was not signed in.
  private static func signOut(_ account: Account, _ store: some TokenStore) async throws -> SignOutOutcome? {
    let outcome: SignOutOutcome?
    do {
      outcome = try await Interrupts.canceling { try await CommandEnvironment.client(for: account).signOut() }
    } catch let error as SessionError {
      throw CommandFailure(error, account)
    }
    try await AccountBook(store).forget(account)
    try await StoredClientSecret.remove(for: account, in: store)
    return outcome
  }

  /// Signs out of all accounts that use the registration, and only then deletes the registration, because signing out
  /// needs the registration's credentials.
  private func unregister(_ account: Account?, _ store: some TokenStore) async throws {
    let issuer = try self.issuerToUnregisterFrom(account)
    // If several accounts use the registration, an outcome other than `revoked` takes precedence in the report.
    var outcome: SignOutOutcome?
    let book = AccountBook(store)
    for other in try await book.accounts() + book.unlistedAccounts() where other.issuer == issuer && other.usesOwnRegistration {
      guard let otherOutcome = try await Self.signOut(other, store) else { continue }
      if outcome == nil || otherOutcome != .revoked { outcome = otherOutcome }
    }
    do {
      try await Interrupts.canceling {
        let server = ServerConfiguration(issuer: issuer)
        try await Installation.registration(at: server, over: CommandEnvironment.transport, dpop: .never).delete()
      }
    } catch let error as RegistrationError {
      throw CommandFailure(error)
    }
    try self.report(outcome, account, unregisteredAt: issuer)
  }

  /// The server whose registration to delete: the chosen account's server, or the server that the user specified
  /// without any other option. This installation can be registered at a server without being signed in there.
  private func issuerToUnregisterFrom(_ account: Account?) throws -> Issuer {
    if let account, account.usesOwnRegistration { return account.issuer }
    let options = self.options
    let namesServerAlone = options.profile == nil && options.clientID == nil && options.resource == nil
    if let issuer = options.issuer, namesServerAlone { return issuer }
    guard account == nil else {
      throw CommandFailure(
        .failed, "This account's client was not registered by this installation.",
        "Choose another account, or specify only --issuer.")
    }
    throw CommandFailure(
      .failed, "No matching account uses a client that was registered by this installation.",
      "Specify only the server, with --issuer.")
  }

  private func report(_ outcome: SignOutOutcome?, _ account: Account?, unregisteredAt issuer: Issuer? = nil) throws {
    self.warn(outcome, account)
    if self.json {
      try Output.result(json: LogoutReport(account, outcome, unregisteredAt: issuer))
    } else if let issuer {
      Output.result("Signed out of \(issuer), and removed the registration there.")
    } else if let account, outcome != nil {
      Output.result("Signed out of \(account.summary).")
    } else {
      Output.message("You were not signed in.")
    }
  }

  /// Prints a warning if the server did not revoke the tokens, because they can then still be valid.
  private func warn(_ outcome: SignOutOutcome?, _ account: Account?) {
    switch outcome {
    case .notReached:
      Output.message("The server did not confirm the sign-out. The tokens may remain valid there until they expire.")
    case .notOffered:
      if let page = account?.provider?.pageForRemovingApps {
        Output.message("The server does not support revocation. To end the app's access, remove the app at \(page).")
      } else {
        Output.message("The server does not support revocation. The tokens remain valid there until they expire.")
      }
    case .revoked, nil: break
    }
  }
}

/// The output of `logout --json`.
private struct LogoutReport: Encodable {
  var profile: ProfileName?
  var issuer: String?
  var clientID: String?
  var signedOut: Bool
  var revoked: Bool
  var unregistered: Bool

  init(_ account: Account?, _ outcome: SignOutOutcome?, unregisteredAt issuer: Issuer? = nil) {
    self.profile = account?.profile
    self.issuer = (account?.issuer ?? issuer)?.value
    self.clientID = account?.clientID
    self.signedOut = outcome != nil
    self.revoked = outcome == .revoked
    self.unregistered = issuer != nil
  }

  private enum CodingKeys: String, CodingKey {
    case profile
    case issuer
    case clientID = "client_id"
    case signedOut = "signed_out"
    case revoked
    case unregistered
  }
}
