import ArgumentParser
import Testing

@testable import SallyportCommand

@Suite("Commands that do not exist")
struct CommandNamesTests {
  @Test(
    "a misspelled command, and a name that other programs use, lead to the right command",
    arguments: [
      ("lgin", "login"), ("Login", "login"), ("tokn", "token"), ("acounts", "accounts"), ("whoam", "whoami"),
      ("sign-in", "login"),
      ("list", "accounts"), ("curl", "request"), ("refresh", "token --refresh"),
    ])
  func suggestions(word: String, command: String) throws {
    let failure = try #require(CommandNames.failure(for: [word, "--json"]))
    #expect(failure.status == .usage && failure.message.contains("Did you mean `sallyport \(command)`?"), "\(failure)")
  }

  @Test("a word that resembles no command leads to the list of commands, and is printed without control characters")
  func unknown() throws {
    let failure = try #require(CommandNames.failure(for: ["xyzzy\u{1B}"]))
    #expect(failure.message == "Error: There is no command \"xyzzy\". Run `sallyport --help` for a list.")
  }

  @Test(
    "existing commands, all options, and an empty command line are left to the argument parser",
    arguments: [[], ["token", "x"], ["help"], ["--jsn"]])
  func existing(words: [String]) {
    #expect(CommandNames.failure(for: words) == nil)
  }
}
