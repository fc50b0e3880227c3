import ArgumentParser
import Sallyport
import SallyportProtocol

/// The options of `login` that describe the account.
struct LoginOptions: ParsableArguments {
  @OptionGroup var account: AccountOptions

  @Option(
    help: ArgumentHelp(
      "The scopes to request, separated by spaces.",
      discussion:
        "The default is the account's scope, otherwise \(Arguments.defaultScope), or for an API the scope that it names."),
    transform: Arguments.scope)
  var scope: Scope?

  @Option(
    name: .customLong("redirect-uri"),
    help: "The registered loopback redirect URI. Without a port, a free port is used.",
    transform: Arguments.redirectURI)
  var redirectURI: RedirectURI?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Bind the tokens to a key of this installation (DPoP, RFC 9449).",
      discussion: "A stolen token is then useless, and only `sallyport request` can use it."))
  var dpop: Bool?

  @Option(
    name: .customLong("initial-access-token-file"),
    help: ArgumentHelp(
      "A file with the initial access token that the server requires for registration, or \"-\" for standard input.",
      discussion:
        "The default is the value of SALLYPORT_INITIAL_ACCESS_TOKEN. The token is sent only to a server that you specify with --issuer.",
      valueName: "file"),
    completion: .file())
  var initialAccessTokenFile: String?

  /// The sign-in that the options and the list of accounts describe.
  func target(in store: some TokenStore) async throws -> LoginTarget {
    let choice = self.account.choice
    let profile = try choice.profile ?? CommandEnvironment.profile
    let known = try await self.knownAccount(choice, profile, store)
    // Unless everything is specified, read the API's metadata each time, because the API may use another server now.
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
    if choice.clientID != nil { throw ValidationError("--client-id requires --issuer or --resource.") }
    let reason = choice.profile.map { "There is no account named \"\($0)\"" } ?? "You are not signed in to any account"
    throw ValidationError(
      "\(reason). Specify an API with --resource, or a server with --issuer, and your client identifier, if you have one, with --client-id."
    )
  }

  /// The existing account to sign in to again: the specified one, otherwise the default one.
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
      throw ValidationError("--initial-access-token-file must contain exactly one token.")
    }
    return Secret(String(decoding: token, as: UTF8.self))
  }
}
