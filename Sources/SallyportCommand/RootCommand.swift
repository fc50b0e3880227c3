import ArgumentParser
import SallyportProtocol

/// The `sallyport` command, which signs users in through their browser and provides access tokens to scripts.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sallyport",
    abstract: "Sign in with OAuth through your own browser, and use the tokens in scripts.",
    discussion: """
      Results are written to standard output, everything else to standard error.

      Start with one of these; `sallyport login --help` describes them:

        sallyport login --provider NAME   Google, Microsoft, GitHub, and others
        sallyport login --issuer URL      any other server
        sallyport login --resource URL    an API that names its authorization servers, such as an MCP server

      Then use the tokens with `sallyport token` or `sallyport request`.

      Exit codes: 0 success, 1 failure, 2 usage error, 3 sign-in required, 4 denied or canceled, 5 network or server \
      problem (try again).
      """,
    version: SallyportVersion.current,
    subcommands: [
      LoginCommand.self, TokenCommand.self, RequestCommand.self, WhoAmICommand.self, StatusCommand.self, AccountsCommand.self,
      SwitchCommand.self, LogoutCommand.self,
      CredentialHelperCommand.self,
    ])
}
