import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport accounts`
struct AccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the accounts that you are signed in to.",
    discussion:
      "Prints one line for each account: the profile or \"-\", the server, the client, and the API, if any. If you choose no account, the commands use the first one without an API, otherwise the first one."
  )

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let accounts = try await AccountBook(CommandEnvironment.store).signedIn()
    if self.json {
      let current = AccountChoice().preferred(of: accounts)
      let report = accounts.map { AccountReport(account: $0, current: $0 == current) }
      return try Output.result(json: report)
    }
    if accounts.isEmpty { return Output.message("You are not signed in.") }
    for account in accounts {
      let resource = account.resource.map { "\t\($0)" } ?? ""
      Output.result("\(account.profile?.description ?? "-")\t\(account.issuer)\t\(Printable.text(account.clientID))\(resource)")
    }
  }
}

/// An element of the output of `accounts --json`.
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
