import Sallyport
import SallyportProtocol

/// Which account is meant; where nothing is said it is the one signed in to last.
struct AccountChoice {
  var profile: ProfileName?
  /// Given together with the client, or not at all.
  var issuer: Issuer?
  var clientID: String?

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
