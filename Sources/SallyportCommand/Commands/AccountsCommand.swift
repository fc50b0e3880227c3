import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport accounts`
struct AccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the accounts that you are signed in to.",
    discussion:
      "One line each: its profile or \"-\", the server, the client, and the API if one was named. Where none is named the first one without an API is used, else the first one."
  )

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let store = CommandEnvironment.store
    let sessions: [StoredSession]
    do {
      sessions = try await store.storedSessions()
    } catch {
      throw CommandFailure(.failed, error.words)
    }
    // Only what is signed in to, in the order of the last use; a session of another program of the publisher has no place in it.
    let accounts = try await AccountBook(store).accounts().filter { account in
      sessions.contains {
        $0.issuer == account.issuer && $0.clientID == account.clientID && $0.account == account.sessionName
      }
    }
    if self.json {
      let current = AccountChoice().preferred(of: accounts)
      let report = accounts.map { AccountReport(account: $0, current: $0 == current) }
      return try Output.result(json: report)
    }
    if accounts.isEmpty { return Output.talk("Nobody is signed in.") }
    for account in accounts {
      let resource = account.resource.map { "\t\($0)" } ?? ""
      Output.result("\(account.profile?.description ?? "-")\t\(account.issuer)\t\(Printable.text(account.clientID))\(resource)")
    }
  }
}

/// One row of what `accounts --json` prints.
private struct AccountReport: Encodable {
  var account: Account
  var current: Bool

  private enum CodingKeys: String, CodingKey {
    case current
  }

  func encode(to encoder: any Encoder) throws {
    try self.account.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(self.current, forKey: .current)
  }
}
