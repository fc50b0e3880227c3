import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport accounts`
struct AccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the accounts that you are signed in to.",
    discussion: """
      Prints one line for each account: the profile or "-", the server, the client, and the API, if any. An asterisk marks \
      the current account, which most commands use if you choose no account. It is the account of SALLYPORT_PROFILE, \
      otherwise the account that you chose with `sallyport switch`, otherwise the account that you signed in to last, \
      preferably one that is not for an API.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let store = CommandEnvironment.store
    let accounts = try await AccountBook(store).signedIn()
    let current = try await AccountChoice().account(in: store)
    if self.json {
      let report = accounts.map { AccountReport(account: $0, current: $0 == current) }
      return try Output.result(json: report)
    }
    if accounts.isEmpty { return Output.message("You are not signed in.") }
    for account in accounts {
      let resource = account.resource.map { "\t\($0)" } ?? ""
      let mark = account == current ? "*" : " "
      let profile = account.profile?.description ?? "-"
      Output.result("\(mark) \(profile)\t\(account.issuer)\t\(Printable.text(account.clientID))\(resource)")
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
