import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport token`
struct TokenCommand: AsyncParsableCommand, VerboseCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print an access token. It is refreshed if necessary.",
    discussion: """
      Prints only the token: curl -H "Authorization: Bearer $(sallyport token)" …

      A token that is bound to this installation (`login --dpop`) cannot be used without a proof, so it is printed \
      only with --json. Use `sallyport request`, which sends it with a proof.

      With --output kubectl, the command is a credential plugin for kubectl (client.authentication.k8s.io/v1), for a \
      cluster that accepts the server's access tokens. Most clusters accept ID tokens instead (the option \
      --oidc-issuer-url of the Kubernetes API server); use --output kubectl-id-token for them. --output id-token prints \
      the ID token.

      With --scope or --for-resource, the command prints a token for another scope or API of the same sign-in. This token \
      is stored until it expires. The account's own token stays as it is. The options cannot be used where each new token \
      replaces the old one (GitHub, GitLab), and --for-resource cannot be used where it has no effect (Google, Dropbox). \
      If the granted scope differs from the requested scope, a note on standard error says so.
      """)

  @Flag(help: "Request a new token even if the current one is still valid.")
  var refresh = false

  @OptionGroup var options: AccountOptions

  @OptionGroup var target: TokenTargetOptions

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var verbosity: VerbosityOptions

  @Option(help: "The output format: text, json, kubectl, id-token, or kubectl-id-token.")
  var output: TokenFormat?

  func validate() throws {
    if self.json && self.output != nil { throw ValidationError("--json and --output cannot be combined.") }
    if self.target.target != nil && (self.refresh || self.output?.isIDToken == true) {
      throw ValidationError("--scope and --for-resource cannot be combined with --refresh or an ID token.")
    }
  }

  func run() async throws {
    let format = self.output ?? (self.json ? .json : .text)
    // Without --scope and --for-resource, the token is the account's own token.
    guard let target = self.target.target else {
      return try await Self.print(of: self.options.choice, refreshing: self.refresh, as: format)
    }
    let account = try await self.options.choice.knownAccount(in: CommandEnvironment.store)
    try self.target.check(account)
    let token = try await AccessToken.current(of: account, for: target, allowingBoundToken: format == .json)
    if let requested = self.target.scope, let note = try account.noteAboutScope(requested: requested, granted: token.scope) {
      Output.message(note)
    }
    try format.print(token, account)
  }

  /// Prints the account's own access token or ID token.
  /// - Parameter refreshing: Whether to request a new token even if the current one is still valid.
  static func print(of choice: AccountChoice, refreshing: Bool, as format: TokenFormat) async throws {
    let account = try await choice.knownAccount(in: CommandEnvironment.store)
    if format.isIDToken {
      let (token, expiration) = try await IDToken.current(of: account, refreshing: refreshing)
      return try format.print(idToken: token, expiration: expiration)
    }
    let (token, session) = try await AccessToken.current(
      of: account, refreshing: refreshing, allowingBoundToken: format == .json)
    try await format.print(token, session, account)
  }
}
