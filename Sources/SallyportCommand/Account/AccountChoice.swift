import ArgumentParser
import Sallyport
import SallyportProtocol

/// Which account is meant; where nothing is said it is the default one: that signed in to last, and one without an API before those
/// with one. An API's token is for that API, so signing in to it changes nothing for programs that use the default.
struct AccountChoice {
  var profile: ProfileName?
  var issuer: Issuer?
  var clientID: String?
  var resource: EndpointURL?

  /// Whether nothing was said.
  var isEmpty: Bool { self.profile == nil && self.issuer == nil && self.clientID == nil && self.resource == nil }

  /// The account that is meant; nil where there is none such.
  func account(in store: some TokenStore) async throws -> Account? {
    let profile = try self.profile ?? CommandEnvironment.profile
    let meant = try await AccountBook(store).accounts().filter { self.names($0, profile) }
    if let known = self.preferred(of: meant) { return known }
    // A session of another program of the publisher, which keeps no list.
    guard let issuer = self.issuer, let clientID = self.clientID else { return nil }
    return Account(profile: profile, issuer: issuer, clientID: clientID, resource: self.resource)
  }

  /// The one that is meant of several for which everything holds that was said, the last one first.
  func preferred(of accounts: [Account]) -> Account? {
    guard self.resource == nil else { return accounts.first }
    return accounts.first { $0.resource == nil } ?? accounts.first
  }

  /// The account that is meant, which must be there.
  func knownAccount(in store: some TokenStore) async throws -> Account {
    if let account = try await self.account(in: store) { return account }
    if let resource = self.resource {
      throw CommandFailure(.signInNeeded, "Nobody is signed in to \(resource). Run `sallyport login --resource \(resource)`.")
    }
    if let issuer = self.issuer {
      throw CommandFailure(.signInNeeded, "Nobody is signed in at \(issuer). Run `sallyport login --issuer \(issuer)`.")
    }
    guard let profile = try self.profile ?? CommandEnvironment.profile else { throw CommandFailure.notSignedIn }
    throw CommandFailure(.signInNeeded, "There is no account named \(profile). Run `sallyport login --profile \(profile) …`.")
  }

  /// Whether everything that was said holds for an account. Who gives server and client means the account without a name.
  func names(_ account: Account, _ profile: ProfileName?) -> Bool {
    if let profile, account.profile != profile { return false }
    if let resource = self.resource, !account.isFor(resource) { return false }
    let isWhole = self.issuer != nil && self.clientID != nil
    if isWhole, profile == nil, self.resource == nil, account.sessionName != nil { return false }
    return (self.issuer.map { $0 == account.issuer } ?? true) && (self.clientID.map { $0 == account.clientID } ?? true)
  }
}
