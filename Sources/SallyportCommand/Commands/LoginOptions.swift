import ArgumentParser
import Sallyport
import SallyportProtocol

/// The flags that say where `login` leads.
struct LoginOptions: ParsableArguments {
  @OptionGroup var account: AccountOptions

  @Option(
    help: ArgumentHelp(
      "What to ask for, separated by spaces.",
      discussion: "By default what the account has asked for, else \(Arguments.defaultScope), and for an API what it names."),
    transform: Arguments.scope)
  var scope: Scope?

  @Option(
    name: .customLong("redirect-uri"),
    help: "The loopback redirect URI that is registered; without a port in it a free one is taken.",
    transform: Arguments.redirectURI)
  var redirectURI: RedirectURI?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Bind the tokens to a key of this installation (DPoP, RFC 9449).",
      discussion: "Stolen they are worth nothing then, and only `sallyport request` can use them."))
  var dpop: Bool?

  @Option(
    name: .customLong("initial-access-token-file"),
    help: ArgumentHelp(
      "A file with the token that a server wants of those who register themselves; \"-\" is standard input.",
      discussion:
        "By default what SALLYPORT_INITIAL_ACCESS_TOKEN holds. It goes to no server that only an API names: give --issuer as well.",
      valueName: "file"),
    completion: .file())
  var initialAccessTokenFile: String?

  /// Where it leads, as far as flags and the list of accounts say.
  func target(in store: some TokenStore) async throws -> LoginTarget {
    let choice = self.account.choice
    let profile = try choice.profile ?? CommandEnvironment.profile
    let known = try await self.knownAccount(choice, profile, store)
    // An API that is named is asked each time, since it may have moved; unless everything was said.
    let asksAPI = choice.resource != nil && (choice.issuer == nil || choice.clientID == nil)
    try Self.check(choice, asksAPI: asksAPI, isKnown: known != nil)
    return LoginTarget(
      profile: profile ?? (choice.isEmpty ? known?.profile : nil),
      issuer: choice.issuer ?? (asksAPI ? nil : known?.issuer),
      isIssuerNamed: choice.issuer != nil, clientID: choice.clientID, known: known,
      resource: choice.resource ?? known?.resource, asksAPI: asksAPI, scope: self.scope ?? (asksAPI ? nil : known?.scope),
      redirectURI: self.redirectURI, isBound: self.dpop ?? known?.isBound ?? false,
      initialAccessToken: try self.initialAccessToken())
  }

  private static func check(_ choice: AccountChoice, asksAPI: Bool, isKnown: Bool) throws {
    if isKnown || asksAPI || choice.issuer != nil { return }
    if choice.clientID != nil { throw ValidationError("--client-id goes with --issuer or --resource.") }
    let reason = choice.profile.map { "There is no account named \($0) yet" } ?? "Nobody has signed in here yet"
    throw ValidationError(
      "\(reason): name the API with --resource, or the server with --issuer, and the client with --client-id if it gave you one.")
  }

  /// The account that is signed in to again: the one that is named, or the default one where nothing is.
  private func knownAccount(
    _ choice: AccountChoice, _ profile: ProfileName?, _ store: some TokenStore
  ) async throws -> Account? {
    let accounts = try await AccountBook(store).accounts()
    let meant = accounts.filter { account in
      guard choice.names(account, profile) else { return false }
      if choice.isEmpty || profile != nil { return true }
      return account.profile == nil && (choice.resource != nil || account.resource == nil)
    }
    return choice.preferred(of: meant)
  }

  private func initialAccessToken() throws -> Secret<String>? {
    guard let path = self.initialAccessTokenFile else {
      return CommandEnvironment.variable("SALLYPORT_INITIAL_ACCESS_TOKEN").map { Secret($0) }
    }
    let words = Input.file(path, limit: 8192)?.split { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
    guard let token = words?.first, words?.count == 1, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw ValidationError("--initial-access-token-file holds no token.")
    }
    return Secret(String(decoding: token, as: UTF8.self))
  }
}
