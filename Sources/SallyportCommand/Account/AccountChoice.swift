import ArgumentParser
import Sallyport
import SallyportProtocol

/// The user's choice of an account.
///
/// `SALLYPORT_PROFILE` applies if no option names a profile. If several accounts match and the choice names no API, the
/// account that the user chose with `switch` is preferred. The second preference is the account without an API that the
/// user signed in to last, because tokens for an API can be used only at this API.
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
    let listedAccounts = self.bestMatches(in: try await book.accounts(), profile)
    if let account = self.preferred(of: listedAccounts) { return account }
    // Look for unlisted sessions only if no listed account matches, because this reads every session.
    return self.preferred(of: self.bestMatches(in: try await book.unlistedAccounts(), profile))
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
      problem = "You are not signed in to \(resource)."
      login = "Run `\(ShellWords.login.adding("--resource", resource.value))`."
    } else if let profile {
      problem = "There is no account named \"\(profile)\"."
      let command = ShellWords.login.adding("--profile", profile.description)
      login = "To add it, run `\(command)` with --provider, --issuer, or --resource."
    } else if let issuer = self.issuer {
      let command = ShellWords.login.adding("--issuer", issuer.value)
      problem = "You are not signed in at \(issuer)."
      login = "Run `\(self.clientID.map { command.adding("--client-id", $0) } ?? command)`."
    } else {
      let clientID = self.clientID ?? ""
      problem = "You are not signed in with the client \"\(Printable.text(clientID))\"."
      login = "Run `\(ShellWords.login.adding("--client-id", clientID))` with --provider or --issuer."
    }
    let accounts = signedIn.map { "\n  \($0.summary)" }.joined()
    return CommandFailure(status, problem, signedIn.isEmpty ? login : "\(login) You are signed in to:\(accounts)")
  }

  /// The accounts that match the choice most closely.
  /// - Parameter profile: The profile of the options or of `SALLYPORT_PROFILE`.
  func bestMatches(in accounts: [Account], _ profile: ProfileName?) -> [Account] {
    var matching = accounts.filter { self.matches($0, profile) }
    // An account for https://api.example also matches the resource https://api.example/notes, so an account for exactly
    // this resource is preferred.
    if let resource = self.resource, matching.contains(where: { $0.resource == resource }) {
      matching.removeAll { $0.resource != resource }
    }
    // An account without a profile name can be chosen only by its API, issuer, and client. A choice of all three
    // therefore prefers such an account. A choice of only an issuer and a client matches no other accounts anyway.
    let choosesUnnamed = profile == nil && self.issuer != nil && self.clientID != nil
    if choosesUnnamed, matching.contains(where: { $0.profile == nil }) { matching.removeAll { $0.profile != nil } }
    return matching
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
