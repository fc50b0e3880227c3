import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportSystem

/// The options of `login` that describe the account.
struct LoginOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A provider instead of --issuer: google, microsoft, github, gitlab, dropbox, auth0, okta, keycloak, or cognito.",
      discussion:
        "The command then uses the provider's known endpoints and settings, and `sallyport request` may send the tokens to the provider's own APIs. Name the tenant or server after a colon: microsoft:contoso.onmicrosoft.com, auth0:contoso.eu.auth0.com, okta:contoso.okta.com, keycloak:https://sso.example.com/realms/main, cognito:eu-central-1_a1b2c3d4e, gitlab:https://gitlab.example.com.",
      valueName: "name"),
    completion: .list(Provider.usable.map(\.rawValue)), transform: { try Provider($0) })
  var provider: Provider?

  @Option(
    name: .customLong("server-config"),
    help: ArgumentHelp(
      "A JSON file with members to add to the server's metadata, or to replace in it.",
      discussion:
        "An object with members that RFC 8414 and OpenID Connect Discovery define. Each member is added to the server's metadata, or replaces the member with the same name. With \"discovery\": false, no metadata is fetched. Instead of false, \"discovery\" can be the URL of the metadata document.",
      valueName: "file"),
    completion: .file())
  var serverConfig: String?

  @OptionGroup var account: AccountOptions

  @Option(
    help: ArgumentHelp(
      "The scopes to request, separated by spaces.",
      discussion:
        "The default is the account's scope, or \(Arguments.defaultScope) for a new account. If the command reads the metadata of an API (with --resource, unless you specify both the server and --client-id), the default is the scope that the API names, plus those of openid, profile, and offline_access that the server supports. Scopes that you specify replace the default: without openid, the server issues no ID token, and without offline_access, many servers issue no refresh token."
    ),
    transform: Arguments.scope)
  var scope: Scope?

  @Option(
    name: .customLong("redirect-uri"),
    help: ArgumentHelp(
      "The registered loopback redirect URI. Without a port, a free port is used.",
      discussion: "Later sign-ins to the account also use this URI. To stop using it, sign out first."),
    transform: Arguments.redirectURI)
  var redirectURI: RedirectURI?

  @Option(
    name: .customLong("token-origin"),
    help: ArgumentHelp(
      "The URL of an API. `sallyport request` may send the tokens to URLs with the same scheme, host, and port. Can be repeated.",
      discussion:
        "Use it instead of --resource if the server does not support resource indicators (RFC 8707). The APIs of --provider need not be specified.",
      valueName: "url"),
    transform: Arguments.apiURL)
  var tokenOrigin: [EndpointURL] = []

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Bind the tokens to a key of this installation (DPoP, RFC 9449).",
      discussion:
        "Only `sallyport request` can then use the tokens, so a stolen token is useless. Requires --resource or --token-origin, unless you sign in again to an account that has one of them."
    ))
  var dpop: Bool?

  @Option(
    name: .customLong("client-secret-file"),
    help: ArgumentHelp(
      "A file with the client secret, if the server requires one, or \"-\" for standard input.",
      discussion:
        "The secret is kept in the token store until you sign out. Requires --client-id, unless you sign in again to an account whose client identifier you specified.",
      valueName: "file"),
    completion: .file())
  var clientSecretFile: String?

  /// Users expect this option. It is not supported, because everyone on the machine can see the arguments of a command.
  @Option(name: .customLong("client-secret"), help: .private)
  var clientSecret: String?

  @Option(
    name: .customLong("initial-access-token-file"),
    help: ArgumentHelp(
      "A file with the initial access token that the server requires for registration, or \"-\" for standard input.",
      discussion:
        "Instead of a file, you can pass the token itself in SALLYPORT_INITIAL_ACCESS_TOKEN. The token is sent only to a server that you specify, or at which you are already signed in to the account. It is not sent to a server that only the API names.",
      valueName: "file"),
    completion: .file())
  var initialAccessTokenFile: String?

  func validate() throws {
    guard self.clientSecret == nil else {
      throw ValidationError(
        "--client-secret is not supported, because other users can see it, and your shell keeps it in its history. Write the secret to a file "
          + "that only you can read, and use --client-secret-file.")
    }
    guard self.tokenOrigin.isEmpty || self.account.resource == nil else {
      throw ValidationError("--token-origin and --resource cannot be combined.")
    }
    guard self.provider == nil || (self.account.issuer == nil && self.serverConfig == nil) else {
      throw ValidationError("--provider cannot be combined with --issuer or --server-config.")
    }
    guard [self.clientSecretFile, self.initialAccessTokenFile, self.serverConfig].count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError(
        "Only one of --client-secret-file, --initial-access-token-file, and --server-config can be \"-\" (standard input).")
    }
  }

  /// Asks for the server and the client identifier if the options name no server, client, or API, and no account
  /// matches. If the options name a provider but no client identifier, and no account matches, asks for the client
  /// identifier.
  mutating func askForServer(_ store: some TokenStore) async throws {
    let (choice, _) = try self.accountAndServer()
    let profile = try choice.profile ?? CommandEnvironment.profile
    if let provider = self.provider, choice.clientID == nil, try await self.existingAccount(choice, profile, store) == nil {
      let alternative = provider.canRegister ? " (leave empty to register this installation)" : ""
      let clientID = try await Interrupts.canceling {
        try await Questions.ask("The client identifier that you registered with \(provider.text)\(alternative)") { text in
          guard !text.isEmpty || provider.canRegister else {
            throw ValidationError("the client identifier must not be empty")
          }
          return text
        }
      }
      self.account.clientID = clientID.isEmpty ? nil : clientID
      return
    }
    guard choice.issuer == nil, choice.resource == nil, choice.clientID == nil,
      try await self.existingAccount(choice, profile, store) == nil
    else { return }
    let server = try await Interrupts.canceling {
      try await Questions.ask("The provider, such as google, or the URL of the authorization server", parse: NamedServer.init)
    }
    switch server {
    case .provider(let provider):
      self.provider = provider
      try await self.askForServer(store)
    case .issuer(let issuer):
      let clientID = try await Interrupts.canceling {
        try await Questions.ask("The client identifier (leave empty to register this installation)") { $0 }
      }
      self.account.issuer = issuer
      self.account.clientID = clientID.isEmpty ? nil : clientID
    }
  }

  /// The sign-in that the options and the list of accounts describe.
  func target(in store: some TokenStore, parameters: RequestParameterOptions) async throws -> LoginTarget {
    let (choice, server) = try self.accountAndServer()
    let profile = try choice.profile ?? CommandEnvironment.profile
    let existingAccount = try await self.existingAccount(choice, profile, store)
    // Unless the user specifies both the server and the client, read the API's metadata each time, because the API may
    // use another server now.
    let readsAPIMetadata = choice.resource != nil && (choice.issuer == nil || choice.clientID == nil)
    // Without --provider or --server-config, now or at an earlier sign-in, the issuer must publish metadata. For the
    // issuer of a known provider, this check recommends --provider.
    if server == nil, existingAccount?.server == nil, let issuer = self.account.issuer { try Provider.check(issuer) }
    try Self.checkServer(choice, profile, readsAPIMetadata: readsAPIMetadata, isKnown: existingAccount != nil)
    let tokenOrigins = self.tokenOrigin.isEmpty ? existingAccount?.tokenOrigins ?? [] : self.tokenOrigin
    let isBound = self.dpop ?? existingAccount?.isBound ?? false
    let resource = choice.resource ?? existingAccount?.resource
    guard !isBound || resource != nil || !tokenOrigins.isEmpty else { throw Self.noTokenDestination }
    let usesOwnRegistration = choice.clientID == nil && (existingAccount?.usesOwnRegistration ?? true)
    if usesOwnRegistration, self.clientSecretFile != nil { throw ValidationError("--client-secret-file requires --client-id.") }
    if usesOwnRegistration, let provider = self.provider, !provider.canRegister {
      throw ValidationError(
        "--provider \(provider.text) requires --client-id. Register an app with the provider, and specify its client identifier.")
    }
    return LoginTarget(
      profile: profile ?? (choice.isEmpty ? existingAccount?.profile : nil),
      issuer: choice.issuer ?? (readsAPIMetadata ? nil : existingAccount?.issuer),
      server: server, isIssuerSpecified: choice.issuer != nil, clientID: choice.clientID, existingAccount: existingAccount,
      resource: resource, readsAPIMetadata: readsAPIMetadata,
      scope: self.scope ?? (readsAPIMetadata ? nil : existingAccount?.scope),
      redirectURI: self.redirectURI, isBound: isBound, tokenOrigins: resource == nil ? tokenOrigins : [],
      oneTimeParameters: parameters.oneTimeParameters,
      parameters: parameters.parameters.isEmpty ? existingAccount?.parameters ?? [:] : parameters.parameters,
      clientSecret: try self.clientSecretFile.map(SecretFile.readClientSecret),
      initialAccessToken: try self.initialAccessToken())
  }

  /// Only `sallyport request` can use a bound token, and it must know where it may send the token.
  private static let noTokenDestination = ValidationError(
    "--dpop requires --resource or --token-origin, because only 'sallyport request' can use bound tokens, and it must know the API. "
      + "For tokens that other programs can use, sign in with --no-dpop.")

  /// The chosen account, and what the user specified about its server.
  private func accountAndServer() throws -> (AccountChoice, ServerDescription?) {
    var choice = self.account.choice
    let file = try self.serverConfig.map { try ServerDescription(file: $0, issuer: choice.issuer) }
    let server = self.provider.map { .provider($0) } ?? file
    // The provider or the file can determine the issuer.
    choice.issuer = try server?.configuration(issuer: choice.issuer, audience: nil).issuer ?? choice.issuer
    return (choice, server)
  }

  /// Checks that the server is known: from an existing account, an API's metadata, or an option.
  /// - Parameters:
  ///   - profile: The profile of the options or of `SALLYPORT_PROFILE`.
  ///   - readsAPIMetadata: Whether the API's metadata is read, which names the server.
  ///   - isKnown: Whether there is an existing account, whose server is used.
  private static func checkServer(
    _ choice: AccountChoice, _ profile: ProfileName?, readsAPIMetadata: Bool, isKnown: Bool
  ) throws {
    if isKnown || readsAPIMetadata || choice.issuer != nil { return }
    if choice.clientID != nil {
      throw ValidationError("--client-id requires --provider, --issuer, --server-config, or --resource.")
    }
    let reason = profile.map { "There is no account named \"\($0)\"" } ?? "You are not signed in to any account"
    throw ValidationError(
      "\(reason). Specify a provider with --provider, another server with --issuer, or an API with --resource, and your client identifier, if you have one, with --client-id."
    )
  }

  /// The existing account to sign in to again, or `nil` if no account matches:
  ///
  /// - If no option chooses an account and no profile is set, the current account.
  /// - If a profile is set, the account with this profile, if it matches the options.
  /// - Otherwise, an account that has no profile and matches the options. If the options name no API, only an account
  ///   without an API matches.
  private func existingAccount(
    _ choice: AccountChoice, _ profile: ProfileName?, _ store: some TokenStore
  ) async throws -> Account? {
    let accounts = try await AccountBook(store).accounts()
    let candidates = accounts.filter { account in
      guard choice.matches(account, profile) else { return false }
      if choice.isEmpty || profile != nil { return true }
      return account.profile == nil && (choice.resource != nil || account.resource == nil)
    }
    return choice.preferred(of: candidates)
  }

  private func initialAccessToken() throws -> Secret<String>? {
    guard let path = self.initialAccessTokenFile else {
      return CommandEnvironment.variable("SALLYPORT_INITIAL_ACCESS_TOKEN").map { Secret($0) }
    }
    return try SecretFile.read(path, option: "--initial-access-token-file")
  }
}
