import ArgumentParser
import SallyportProtocol

/// The flags that name an account; without them it is the one signed in to last.
struct AccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Your own name for the account.",
      discussion: "By default what SALLYPORT_PROFILE names, else the account you signed in to last."),
    transform: Arguments.profile)
  var profile: ProfileName?

  @Option(help: "The authorization server. By default the account's.", transform: Arguments.issuer)
  var issuer: Issuer?

  @Option(name: .customLong("client-id"), help: "The client, as registered there. By default the account's.")
  var clientID: String?

  func validate() throws {
    guard (self.issuer == nil) == (self.clientID == nil) else {
      throw ValidationError("Give both --issuer and --client-id, or neither.")
    }
    guard self.clientID != "" else { throw ValidationError("--client-id is empty.") }
  }

  var choice: AccountChoice {
    AccountChoice(profile: self.profile, issuer: self.issuer, clientID: self.clientID)
  }
}
