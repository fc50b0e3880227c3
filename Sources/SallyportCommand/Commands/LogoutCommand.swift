import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport logout`
struct LogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Sign out: revoke the tokens at the server and remove them here.")

  @OptionGroup var options: AccountOptions

  @Flag(
    help: ArgumentHelp(
      "Also remove this installation's registration from the server (RFC 7592).",
      discussion: "This signs out of all accounts that use the registration."))
  var unregister = false

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let store = CommandEnvironment.store
    let account = try await self.options.choice.account(in: store)
    if self.unregister { return try await self.unregister(account, store) }
    guard let account else { return try self.report(nil, nil) }
    let outcome = try await Self.signOut(account, store)
    try self.report(outcome, account)
  }

  private static func signOut(_ account: Account, _ store: some TokenStore) async throws -> SignOutOutcome? {
    let outcome: SignOutOutcome?
    do {
      outcome = try await Interrupts.cancelling { try await CommandEnvironment.client(for: account).signOut() }
    } catch let error as SessionError {
      throw CommandFailure(error)
    }
    try await AccountBook(store).forget(account)
    return outcome
  }

  /// Signs out first, because the sign-outs need the registration's credentials, and then deletes the registration.
  private func unregister(_ account: Account?, _ store: some TokenStore) async throws {
    let issuer = try self.issuerToLeave(account)
    var outcome: SignOutOutcome?
    for other in try await AccountBook(store).accounts() where other.issuer == issuer && other.isRegistered {
      let one = try await Self.signOut(other, store)
      outcome = outcome == nil || one != .revoked ? one ?? outcome : outcome
    }
    do {
      try await Interrupts.cancelling {
        try await Installation.registration(at: issuer, over: CommandEnvironment.transport).delete()
      }
    } catch let error as RegistrationError {
      throw CommandFailure(error)
    }
    try self.report(outcome, account, unregisteredAt: issuer)
  }

  /// The server whose registration to delete: that of the chosen account, or a server that was specified without any
  /// other option. This installation can be registered at a server without being signed in there.
  private func issuerToLeave(_ account: Account?) throws -> Issuer {
    if let account, account.isRegistered { return account.issuer }
    let options = self.options
    let namesServerAlone = options.profile == nil && options.clientID == nil && options.resource == nil
    if let issuer = options.issuer, namesServerAlone { return issuer }
    guard account == nil else {
      throw CommandFailure(
        .failed,
        "This account's client was not registered by this installation. Choose another account, or specify only --issuer.")
    }
    throw CommandFailure(
      .failed, "No account uses a client that was registered by this installation. Specify the server with --issuer.")
  }

  private func report(_ outcome: SignOutOutcome?, _ account: Account?, unregisteredAt issuer: Issuer? = nil) throws {
    switch outcome {
    case .notReached:
      Output.message("The server did not confirm the sign-out. The tokens may remain valid there until they expire.")
    case .notOffered:
      Output.message("The server does not support revocation. The tokens remain valid there until they expire.")
    case .revoked, nil: break
    }
    if self.json {
      try Output.result(
        json: LogoutReport(
          profile: account?.profile, issuer: (account?.issuer ?? issuer)?.value, clientID: account?.clientID,
          signedOut: outcome != nil, revoked: outcome == .revoked, unregistered: issuer != nil))
    } else if let issuer {
      Output.result("Signed out of \(issuer), and removed the registration there.")
    } else if let account, outcome != nil {
      Output.result("Signed out of \(account.issuer).")
    } else {
      Output.message("You were not signed in.")
    }
  }
}

/// The output of `logout --json`.
private struct LogoutReport: Encodable {
  var profile: ProfileName?
  var issuer: String?
  var clientID: String?
  var signedOut: Bool
  var revoked: Bool
  var unregistered: Bool

  private enum CodingKeys: String, CodingKey {
    case profile
    case issuer
    case clientID = "client_id"
    case signedOut = "signed_out"
    case revoked
    case unregistered
  }
}
