import ArgumentParser
import Sallyport
import SallyportProtocol

/// The flags that name an account; without them it is the one signed in to last.
struct AccountOptions: ParsableArguments {
  @Option(help: "The authorization server. By default the one you signed in to last.", transform: Arguments.issuer)
  var issuer: Issuer?

  @Option(name: .customLong("client-id"), help: "The client, as registered there.")
  var clientID: String?

  func validate() throws {
    guard (self.issuer == nil) == (self.clientID == nil) else {
      throw ValidationError("Give both --issuer and --client-id, or neither.")
    }
  }

  /// The account that is meant; nil where none is named and nobody has signed in.
  func account(in store: some TokenStore) async throws(CommandFailure) -> Account? {
    guard let issuer = self.issuer, let clientID = self.clientID else { return try await Account.last(in: store) }
    return Account(issuer: issuer, clientID: clientID)
  }
}
