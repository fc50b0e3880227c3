import ArgumentParser
import SallyportProtocol

/// The flags that name an account; without them it is the default one.
struct AccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Your own name for the account.",
      discussion:
        "By default what SALLYPORT_PROFILE names, else the account you signed in to last; one for an API (--resource) only where there is no other."
    ),
    completion: .shellCommand("sallyport accounts 2>/dev/null | cut -f 1 | grep -v '^-$'"),
    transform: Arguments.profile)
  var profile: ProfileName?

  @Option(help: "The authorization server. By default the account's.", transform: Arguments.issuer)
  var issuer: Issuer?

  @Option(
    name: .customLong("client-id"),
    help: "The client, as registered there, or its metadata document's URL. By default the account's.")
  var clientID: String?

  @Option(help: "The API that the account's tokens are for. By default the account's.", transform: Arguments.resource)
  var resource: EndpointURL?

  func validate() throws {
    guard self.clientID != "" else { throw ValidationError("--client-id is empty.") }
  }

  var choice: AccountChoice {
    AccountChoice(profile: self.profile, issuer: self.issuer, clientID: self.clientID, resource: self.resource)
  }
}
