import ArgumentParser
import SallyportProtocol

/// The options that choose an account.
struct AccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Your own name for the account.",
      discussion:
        "Without options that choose an account, most commands use the account that SALLYPORT_PROFILE names. If it is not set, they use the account that you chose with `sallyport switch`. If you chose none, they use the account of your last sign-in without --resource or, if there is none, the account of your last sign-in."
    ),
    completion: Self.profileCompletion,
    transform: Arguments.profile)
  var profile: ProfileName?

  @Option(help: "The authorization server. The default is the account's server.", transform: Arguments.issuer)
  var issuer: Issuer?

  @Option(
    name: .customLong("client-id"),
    help: "The client identifier, which can be the URL of a metadata document. The default is the account's client.")
  var clientID: String?

  @Option(help: "The API that the account's tokens are for. The default is the account's API.", transform: Arguments.apiURL)
  var resource: EndpointURL?

  /// Completes the names of the accounts in shells. Each line of `sallyport accounts` has two characters for the mark
  /// of the current account, and then the account's name, or `-` for an account without a name.
  static let profileCompletion = CompletionKind.shellCommand(
    "sallyport accounts 2>/dev/null | cut -c 3- | cut -f 1 | grep -v '^-$'")

  func validate() throws {
    guard self.clientID != "" else { throw ValidationError("--client-id must not be empty.") }
    // The argument parser would use only the last value.
    guard !Arguments.isRepeated("--resource") else {
      throw ValidationError(
        "--resource can be specified only once, because an account is for one API. Use a separate account for each API.")
    }
  }

  var choice: AccountChoice {
    AccountChoice(profile: self.profile, issuer: self.issuer, clientID: self.clientID, resource: self.resource)
  }
}
