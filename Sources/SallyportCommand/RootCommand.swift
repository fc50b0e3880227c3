import ArgumentParser
import SallyportProtocol

/// `sallyport`: signs a person in through their own browser, and gives their scripts fresh access tokens.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sallyport",
    abstract: "Sign in with OAuth through your own browser, and use the tokens in scripts.",
    discussion: """
      Results go to standard output, everything else to standard error.

      Start with `sallyport login --resource URL` for an API, or `sallyport login --issuer URL` for a server.

      Exit codes: 0 done, 1 failed, 2 wrong usage, 3 sign-in needed, 4 denied or cancelled, 5 network or server trouble \
      (try again).
      """,
    version: SallyportVersion.current,
    subcommands: [
      LoginCommand.self, TokenCommand.self, RequestCommand.self, WhoAmICommand.self, AccountsCommand.self, LogoutCommand.self,
      CredentialHelperCommand.self,
    ])
}
