import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print an access token, renewed if it has to be.",
    discussion: """
      Prints the token and nothing else: curl -H "Authorization: Bearer $(sallyport token)" …

      A token that is bound to this installation (`login --dpop`) is of no use by itself, and printed with --json only; \
      `sallyport request` sends it with its proof.

      With --output kubectl it is a credential plugin of kubectl (client.authentication.k8s.io/v1), for a cluster that takes \
      the server's access tokens.
      """)

  @Flag(help: "Get a new token even if the old one is still good.")
  var refresh = false

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: "What to print: text, json or kubectl.")
  var output: TokenFormat?

  func validate() throws {
    guard !self.json || self.output == nil else { throw ValidationError("Give one of --json and --output.") }
  }

  func run() async throws {
    try await Self.print(
      of: self.options.choice, refreshing: self.refresh, as: self.output ?? (self.json ? .json : .text))
  }

  /// The command, once its arguments are read; as it stands here without any.
  static func print(
    of choice: AccountChoice = AccountChoice(), refreshing: Bool = false, as format: TokenFormat = .text
  ) async throws {
    let account = try await choice.knownAccount(in: CommandEnvironment.store)
    let (token, session) = try await AccessToken.current(
      of: account, refreshing: refreshing, alsoBound: format == .json)
    try await format.print(token, session, account)
  }
}
