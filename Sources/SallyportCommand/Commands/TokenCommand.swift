import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print an access token, renewed if it has to be.",
    discussion: "Prints the token and nothing else: curl -H \"Authorization: Bearer $(sallyport token)\" …")

  @Flag(help: "Get a new token even if the old one is still good.")
  var refresh = false

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let store = CommandEnvironment.store
    guard let account = try await self.options.account(in: store) else { throw CommandFailure.notSignedIn }
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn
      }
      // A token that is still good is printed at once, without a network or another thread.
      if !self.refresh, let token = try await session.accessTokenAtHand() {
        return try await self.report(token, session, account)
      }
      let forced = self.refresh
      let token = try await Interrupts.cancelling {
        do {
          if forced { try await session.refresh() }
          return try await session.accessToken()
        } catch {
          // A refresh that is under way is let finish: the server may have rotated the token already.
          await session.settle()
          throw error
        }
      }
      try await self.report(token, session, account)
    } catch let error as SessionError {
      throw CommandFailure(error)
    }
  }

  private func report(_ token: Secret<String>, _ session: Session, _ account: Account) async throws {
    guard self.json else { return Output.result(token.reveal()) }
    try Output.result(
      json: TokenReport(
        accessToken: token.reveal(), expiresAt: await session.expiration?.seconds, issuer: account.issuer.value,
        clientID: account.clientID, scope: await session.scope.description))
  }
}

/// What `token --json` prints.
private struct TokenReport: Encodable {
  var accessToken: String
  var tokenType = "Bearer"
  /// Seconds since 1970.
  var expiresAt: Int64?
  var issuer: String
  var clientID: String
  var scope: String

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresAt = "expires_at"
    case issuer
    case clientID = "client_id"
    case scope
  }
}
