import ArgumentParser
import Sallyport
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

  /// The account that is meant; nil where none is named and nobody has signed in, or where there is no such profile.
  func account(in store: some TokenStore) async throws -> Account? {
    let profile = try self.profile ?? CommandEnvironment.profile
    guard let issuer = self.issuer, let clientID = self.clientID else {
      return try await AccountBook(store).account(profile)
    }
    return Account(profile: profile, issuer: issuer, clientID: clientID)
  }

  /// The account that is meant, which must be there.
  func knownAccount(in store: some TokenStore) async throws -> Account {
    if let account = try await self.account(in: store) { return account }
    guard let profile = try self.profile ?? CommandEnvironment.profile else { throw CommandFailure.notSignedIn }
    throw CommandFailure(.signInNeeded, "There is no account named \(profile). Run `sallyport login --profile \(profile) …`.")
  }
}
