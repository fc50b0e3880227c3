import Testing

@testable import SallyportDaemon

@Suite("Commands that do not exist")
struct UnknownCommandTests {
  @Test(
    "the message names the command that does not exist, even if options follow",
    arguments: [
      (["user", "delete", "alice", "--data", "first"], "sallyportd user delete"), (["database"], "sallyportd database"),
      (["client", "token", "delete"], "sallyportd client token delete"),
    ])
  func unknown(words: [String], name: String) {
    let message = Sallyportd.unknownCommand(in: words)
    #expect(message?.contains("There is no command \"\(name)\".") == true, "\(message as Any)")
  }

  @Test(
    "nothing is reported if the command exists, or for options and 'help'",
    arguments: [["user", "add", "remove"], ["user"], ["user", "--help"], ["help", "user"], ["serve", "remove"], []])
  func known(words: [String]) {
    // In `user add remove`, `remove` is a user name.
    #expect(Sallyportd.unknownCommand(in: words) == nil)
  }
}
