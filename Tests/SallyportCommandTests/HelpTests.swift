import ArgumentParser
import Testing

@testable import SallyportCommand

@Suite("The help")
struct HelpTests {
  @Test("the overview mentions --provider before --issuer")
  func overview() throws {
    let help = RootCommand.helpMessage()
    let provider = try #require(help.firstRange(of: "sallyport login --provider"))
    let issuer = try #require(help.firstRange(of: "sallyport login --issuer"))
    #expect(provider.lowerBound < issuer.lowerBound)
  }

  @Test("the help of `accounts` and of `token` mentions `switch`, and the help of `accounts` explains the asterisk")
  func accounts() {
    for command in [AccountsCommand.helpMessage(columns: 1000), TokenCommand.helpMessage(columns: 1000)] {
      #expect(command.contains("sallyport switch"), "\(command)")
    }
    #expect(AccountsCommand.helpMessage(columns: 1000).contains("asterisk"))
  }

  @Test("the help of login mentions --provider before --audience, --login-hint, --browser, and --timeout")
  func order() throws {
    let help = LoginCommand.helpMessage(columns: 1000)
    let provider = try #require(help.firstRange(of: "\n  --provider"))
    for other in ["--audience", "--login-hint", "--browser", "--timeout"] {
      let range = try #require(help.firstRange(of: "\n  \(other)"), "\(help)")
      #expect(provider.lowerBound < range.lowerBound, "\(other)")
    }
  }

  @Test("the help of login says that --scope replaces the default scope")
  func scope() {
    #expect(LoginCommand.helpMessage(columns: 1000).contains("Scopes that you specify replace the default"))
  }

  @Test("--client-secret is not in the help, and its error names --client-secret-file and does not repeat the secret")
  func clientSecret() {
    #expect(!LoginCommand.helpMessage().contains("--client-secret "))
    for arguments in [["--client-secret", "hush"], ["--client-secret=hush"]] {
      let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["login"] + arguments) }
      let message = error.map { RootCommand.fullMessage(for: $0) } ?? ""
      #expect(message.contains("use --client-secret-file") && !message.contains("hush"), "\(message)")
    }
  }

  @Test("a repeated option is detected, but not an argument that looks like the option")
  func repeatedOptions() {
    for words in [["--resource", "a", "--resource", "b"], ["login", "--resource=a", "--resource", "b"]] {
      #expect(Arguments.isRepeated("--resource", in: words), "\(words)")
    }
    for words in [["--resource", "a"], ["--resource", "a", "--", "--resource"], ["--resource=a", "--resource-b", "c"]] {
      #expect(!Arguments.isRepeated("--resource", in: words), "\(words)")
    }
  }

  @Test(
    "a word is quoted for a shell only if it is empty or contains special characters",
    arguments: [("~/id", "'~/id'"), ("a-b_c:/@%+=,.1", "a-b_c:/@%+=,.1"), ("", "''")])
  func quotedWords(_ text: String, _ quoted: String) {
    #expect(ShellWords(text).description == quoted)
  }

  @Test("if a client secret is specified instead of a file, the error does not repeat the secret")
  func secretAsFile() {
    let error = #expect(throws: ValidationError.self) {
      try SecretFile.readClientSecret("hush-0123456789")
    }
    #expect(
      error?.message.contains("--client-secret-file") == true && error?.message.contains("hush") == false, "\(error as Any)")
  }
}
