import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport accounts`
struct AccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the accounts that you are signed in to.",
    discussion: """
      Prints one line for each account, with these fields separated by tabs: the profile or "-", the server, the client, \
      the API or "-", and the user. If the server did not report the user, the line has no user and no "-" for the API. \
      An asterisk marks the current account, which most commands use if you choose no account: the account that \
      SALLYPORT_PROFILE names or, if it is not set, the account that you chose with `sallyport switch`. If you chose \
      none, it is the account of your last sign-in without --resource or, if there is none, of your last sign-in.
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
      let mark = account == current ? "*" : " "
      Output.result("\(mark) \(account.row)")
    }
  }
}

extension Account {
  /// The fields of the account in the list, separated by tabs.
  fileprivate var row: String {
    var fields = [self.profile?.description ?? "-", "\(self.issuer)", Printable.text(self.clientID)]
    if self.resource != nil || self.user != nil { fields.append(self.resource?.description ?? "-") }
    if let user = self.user { fields.append(Printable.text(user)) }
    return fields.joined(separator: "\t")
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
