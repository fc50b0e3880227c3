import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport switch`
struct SwitchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch", abstract: "Choose the account that the other commands use.",
    discussion: """
      Choose an account with its name or with options. With neither, the command switches to the other account if there \
      are two. If there are more, it asks on a terminal. The choice applies until the next `sallyport login`.
      """)

  @Argument(help: ArgumentHelp("The name of the account.", valueName: "profile"), transform: Arguments.profile)
  var name: ProfileName?

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard self.name == nil || self.options.choice.isEmpty else {
      throw ValidationError("A name and options that choose an account cannot be combined.")
    }
  }

  func run() async throws {
    let store = CommandEnvironment.store
    let book = AccountBook(store)
    let account = try await self.chooseAccount(from: book.signedIn())
    try await book.choose(account)
    if self.json { return try Output.result(json: account) }
    Output.result("Using the account \(account.words).")
  }

  private func chooseAccount(from accounts: [Account]) async throws -> Account {
    guard !accounts.isEmpty else { throw CommandFailure.notSignedIn }
    var choice = self.options.choice
    choice.profile = choice.profile ?? self.name
    if !choice.isEmpty {
      guard let account = choice.preferred(of: accounts.filter { choice.names($0, choice.profile) }) else {
        throw CommandFailure(
          .failed, "You are not signed in to such an account.", "Run `sallyport accounts` for a list of your accounts.")
      }
      return account
    }
    let current = choice.preferred(of: accounts)
    if accounts.count <= 2 { return accounts.first { $0 != current } ?? accounts[0] }
    guard Output.canAsk else {
      throw ValidationError("You are signed in to more than two accounts. Specify one with its name or with options.")
    }
    return try await Interrupts.cancelling { try await Questions.chooseAccount(from: accounts, current: current) }
  }
}
