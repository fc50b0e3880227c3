import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport logout`
struct LogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "Sign out: revoke the tokens at the server and remove them here.")

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let store = CommandEnvironment.store
    guard let account = try await self.options.choice.account(in: store) else { return try self.report(nil, nil) }
    let outcome: SignOutOutcome?
    do {
      outcome = try await Interrupts.cancelling { try await CommandEnvironment.client(for: account).signOut() }
    } catch let error as SessionError {
      throw CommandFailure(error)
    }
    try await AccountBook(store).forget(account)
    try self.report(outcome, account)
  }

  private func report(_ outcome: SignOutOutcome?, _ account: Account?) throws {
    switch outcome {
    case .notReached: Output.talk("The server could not be told; its tokens live on there until they run out.")
    case .notOffered: Output.talk("The server does not revoke tokens; they live on there until they run out.")
    case .revoked, nil: break
    }
    if self.json {
      try Output.result(
        json: LogoutReport(
          profile: account?.profile, issuer: account?.issuer.value, clientID: account?.clientID, signedOut: outcome != nil,
          revoked: outcome == .revoked))
    } else if let account, outcome != nil {
      Output.result("Signed out of \(account.issuer).")
    } else {
      Output.talk("Nobody was signed in.")
    }
  }
}

/// What `logout --json` prints.
private struct LogoutReport: Encodable {
  var profile: ProfileName?
  var issuer: String?
  var clientID: String?
  var signedOut: Bool
  var revoked: Bool

  private enum CodingKeys: String, CodingKey {
    case profile
    case issuer
    case clientID = "client_id"
    case signedOut = "signed_out"
    case revoked
  }
}
