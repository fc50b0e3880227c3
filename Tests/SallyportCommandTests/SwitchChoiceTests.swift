import ArgumentParser
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportCommand

@Suite("The account that switch chooses")
struct SwitchChoiceTests {
  private let issuer: Issuer
  private let accounts: [Account]

  init() throws {
    self.issuer = try Issuer("https://id.example")
    let other = try Issuer("https://other.example")
    self.accounts = [
      Account(profile: ProfileName("work"), issuer: self.issuer, clientID: "notes"),
      Account(issuer: self.issuer, clientID: "notes"),
      Account(issuer: other, clientID: "tasks"),
      Account(issuer: other, clientID: "tasks", resource: try EndpointURL("https://api.example/")),
      Account(issuer: other, clientID: "tasks", resource: try EndpointURL("https://api.example/a")),
    ]
  }

  private func choice(_ arguments: [String]) throws -> SwitchChoice {
    let command = try #require(try RootCommand.parseAsRoot(["switch"] + arguments) as? SwitchCommand)
    return SwitchChoice(name: command.name, options: command.options.choice)
  }

  @Test("each account can be chosen with the arguments that the error for an ambiguous choice suggests")
  func suggestions() throws {
    let api = try EndpointURL("https://api.example/")
    // The client ID looks like an option.
    let sameNameElsewhere = Account(profile: ProfileName("work"), issuer: try Issuer("https://new.example"), clientID: "-notes")
    let sameAPIWithName = Account(profile: ProfileName("api"), issuer: self.accounts[2].issuer, clientID: "tasks", resource: api)
    let all = self.accounts + [sameNameElsewhere, sameAPIWithName]
    for account in all {
      let arguments = account.options(among: all).words
      #expect(try self.choice(arguments).account(in: all) == account, "\(arguments)")
    }
  }

  @Test("a hyphen chooses the only account without a name")
  func unnamed() throws {
    let two = Array(self.accounts.prefix(2))
    #expect(try self.choice(["-"]).account(in: two) == two[1])
  }

  @Test(
    "a choice that several accounts match is a usage error that lists a command for each of them",
    arguments: [(["--issuer", "https://id.example"], 2), (["-"], 4), (["--client-id", "tasks"], 3)])
  func ambiguous(arguments: [String], count: Int) throws {
    let error = #expect(throws: ValidationError.self) { try self.choice(arguments).account(in: self.accounts) }
    let lines = error?.message.split(separator: "\n").dropFirst() ?? []
    #expect(lines.count == count && lines.allSatisfy { $0.hasPrefix("  sallyport switch --") }, "\(error as Any)")
  }

  @Test("a choice that no account matches is not a usage error")
  func none() throws {
    let error = #expect(throws: CommandFailure.self) { try self.choice(["home"]).account(in: self.accounts) }
    #expect(error?.status == .failed)
    #expect(error?.description == "There is no account named \"home\".")
    #expect(error?.advice?.contains("\n  work, https://id.example (client notes)\n") == true, "\(error as Any)")
  }

  @Test(
    "a name cannot be combined with options or start with a hyphen, and a hyphen cannot be combined with --profile",
    arguments: [["work", "--profile", "home"], ["work", "--issuer", "https://id.example"], ["-", "--profile", "home"], ["-x"]])
  func combinations(arguments: [String]) {
    #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["switch"] + arguments) }
  }
}
