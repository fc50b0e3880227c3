import ArgumentParser
import SallyportProtocol

/// The `sallyport` command, which signs users in through their browser and provides access tokens to scripts.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sallyport",
    abstract: "Sign in with OAuth through your own browser, and use the tokens in scripts.",
    discussion: """
      Results are written to standard output, everything else to standard error.

      Start with `sallyport login --resource URL` for an API, or `sallyport login --issuer URL` for a server.

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
