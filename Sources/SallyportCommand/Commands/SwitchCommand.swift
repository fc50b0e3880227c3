import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportSystem

/// `sallyport switch`
struct SwitchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch", abstract: "Choose the account that the other commands use.",
    discussion: """
      Choose an account with its name, as `sallyport accounts` lists it, or with options that only one account matches. \
      With neither, the command switches to the other account if there are two. If there are more, it asks in a terminal. \
      The choice applies until the next `sallyport login` to an account that is not for an API.
      """)

  @Argument(
    help: ArgumentHelp("The name of the account, or \"-\" for an account without a name.", valueName: "profile"),
    completion: AccountOptions.profileCompletion, transform: SwitchChoice.Name.parse)
  var name: SwitchChoice.Name?

  @OptionGroup var options: AccountOptions

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard self.name == nil || self.options.profile == nil else {
      throw ValidationError("A name and --profile cannot be combined.")
    }
    // `-` is only the first part of a choice: options can choose one of several accounts without a name.
    guard self.name == nil || self.name == .unnamed || self.options.choice.isEmpty else {
      throw ValidationError("A name and options that choose an account cannot be combined.")
    }
  }

  func run() async throws {
    let store = CommandEnvironment.store
    let book = AccountBook(store)
    let account = try await self.chooseAccount(from: book.signedIn())
    try await book.choose(account)
    if self.json { return try Output.result(json: account) }
    Output.result("Using the account \(account.summary).")
  }

  private func chooseAccount(from accounts: [Account]) async throws -> Account {
    guard !accounts.isEmpty else { throw CommandFailure.notSignedIn }
    let choice = SwitchChoice(name: self.name, options: self.options.choice)
    if !choice.isEmpty { return try choice.account(in: accounts) }
    let current = choice.options.preferred(of: accounts)
    // With two accounts, chooses the other one. A single account is always chosen.
    if accounts.count <= 2 { return accounts.first { $0 != current } ?? accounts[0] }
    guard Output.canAsk else { throw SwitchChoice.ambiguous(accounts, of: accounts) }
    return try await Interrupts.canceling { try await Questions.chooseAccount(from: accounts, current: current) }
  }
}
