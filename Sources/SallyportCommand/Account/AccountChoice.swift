import ArgumentParser
import Sallyport
import SallyportProtocol

/// The user's choice of an account.
///
/// `SALLYPORT_PROFILE` applies if no option names a profile. If several accounts match and the choice names no API, the
/// account that the user chose with `switch` is preferred, then the account without an API that was signed in to last,
/// because an API's tokens are only for that API.
struct AccountChoice: Equatable {
  var profile: ProfileName?
  var issuer: Issuer?
  var clientID: String?
  var resource: EndpointURL?

  /// Whether no option chooses an account. `SALLYPORT_PROFILE` is not considered.
  var isEmpty: Bool { self.profile == nil && self.issuer == nil && self.clientID == nil && self.resource == nil }

  /// The chosen account, or `nil` if there is none.
  func account(in store: some TokenStore) async throws -> Account? {
    let profile = try self.profile ?? CommandEnvironment.profile
    let book = AccountBook(store)
    let listed = try await book.accounts().filter { self.matches($0, profile) }
    if let account = self.preferred(of: listed) { return account }
    // Look for unlisted sessions only if no listed account matches, because this reads every session.
    return self.preferred(of: try await book.unlistedAccounts().filter { self.matches($0, profile) })
  }

  /// The preferred account among those that match the choice.
  /// - Parameter accounts: The matching accounts, ordered from the most recent sign-in.
  func preferred(of accounts: [Account]) -> Account? {
    guard self.resource == nil else { return accounts.first }
    if let chosen = accounts.first(where: \.isChosen) { return chosen }
    return accounts.first { $0.resource == nil } ?? accounts.first
  }

  /// The chosen account. Throws if there is none.
  func knownAccount(in store: some TokenStore) async throws -> Account {
    guard let account = try await self.account(in: store) else {
      throw try await self.notSignedIn(in: store)
    }
    return account
  }

  /// The failure if no account matches the choice.
  /// - Parameter status: The exit code.
  func notSignedIn(in store: some TokenStore, _ status: ExitStatus = .signInNeeded) async throws -> CommandFailure {
    let profile = try self.profile ?? CommandEnvironment.profile
    guard !self.isEmpty || profile != nil else { return CommandFailure.notSignedIn }
    return self.notSignedIn(profile, signedIn: try await AccountBook(store).signedIn(), status)
  }

  /// The failure if no account matches a choice that names a profile, a server, a client, or an API.
  /// - Parameters:
  ///   - profile: The profile of the options or of `SALLYPORT_PROFILE`.
  ///   - signedIn: The accounts with a session.
  ///   - status: The exit code.
  func notSignedIn(_ profile: ProfileName?, signedIn: [Account], _ status: ExitStatus) -> CommandFailure {
    let problem: String
    let login: String
    if let resource = self.resource {
      (problem, login) = ("You are not signed in to \(resource).", "Run `sallyport login --resource \(resource)`.")
    } else if let profile {
      problem = "There is no account named \"\(profile)\"."
      login = "To add it, run `sallyport login --profile \(profile)` with --provider, --issuer, or --resource."
    } else if let issuer = self.issuer {
      let client = self.clientID.map { " --client-id \(ShellWord.quoted($0))" } ?? ""
      (problem, login) = ("You are not signed in at \(issuer).", "Run `sallyport login --issuer \(issuer)\(client)`.")
    } else {
      problem = "You are not signed in with the client \"\(Printable.text(self.clientID ?? ""))\"."
      login = "Run `sallyport login --client-id \(ShellWord.quoted(self.clientID ?? ""))` with --provider or --issuer."
    }
    let accounts = signedIn.map { "\n  \($0.words)" }.joined()
    return CommandFailure(status, problem, signedIn.isEmpty ? login : "\(login) You are signed in to:\(accounts)")
  }

  /// Whether an account matches the choice. If the choice consists of only an issuer and a client, it means the account
  /// that has neither a profile nor an API.
  /// - Parameter profile: The profile of the options or of `SALLYPORT_PROFILE`.
  func matches(_ account: Account, _ profile: ProfileName?) -> Bool {
    if let profile, account.profile != profile { return false }
    if let resource = self.resource, !account.isFor(resource) { return false }
    let hasIssuerAndClient = self.issuer != nil && self.clientID != nil
    if hasIssuerAndClient, profile == nil, self.resource == nil, account.sessionName != nil { return false }
    return (self.issuer.map { $0 == account.issuer } ?? true) && (self.clientID.map { $0 == account.clientID } ?? true)
  }
}
