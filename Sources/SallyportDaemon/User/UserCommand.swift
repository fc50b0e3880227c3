import ArgumentParser
import SallyportArgon2
import SallyportProtocol
import SallyportServer
import SallyportSQLite

/// `sallyportd user`: the people who can sign in. Works while the server runs.
struct User: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "The people who can sign in.",
    subcommands: [Add.self, List.self, Disable.self, Password.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a person. The password is read from standard input, never from a flag.",
      discussion: "A password has at least 15 characters and is hard to guess, such as four random words.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The name to sign in with.") var username: String
    @Option(help: "The person's full name.") var name: String?
    @Option(help: "The person's e-mail address.") var email: String?
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try self.data.accounts()
      let account = try await User.explaining {
        try await accounts.add(
          username: self.username, password: try Console.readPassword(), name: self.name, email: self.email)
      }
      if self.json { try Console.print(json: Row(account)) } else { Console.say("added \(account.username)") }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List everybody.")
    @OptionGroup var data: DataOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts().list()
      if self.json { return try Console.print(json: accounts.map(Row.init)) }
      for account in accounts {
        Console.print("\(account.username)\t\(account.id.rawValue)\t\(account.disabledAt == nil ? "active" : "disabled")")
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Disable a person, with every session and token.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The name.") var username: String

    func run() async throws {
      let accounts = try self.data.accounts()
      try await User.explaining { try await accounts.disable(self.username) }
      Console.say("disabled \(self.username)")
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set a new password, read from standard input. Sessions and tokens of the old one end.",
      discussion: "A password has at least 15 characters and is hard to guess, such as four random words.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The name.") var username: String

    func run() async throws {
      let accounts = try self.data.accounts()
      try await User.explaining { try await accounts.setPassword(try Console.readPassword(), of: self.username) }
      Console.say("password set for \(self.username)")
    }
  }

  /// What a script reads of an account.
  struct Row: Encodable {
    let username: String
    let sub: String
    let disabled: Bool

    init(_ account: AccountRecord) {
      self.username = account.username.value
      self.sub = account.id.rawValue
      self.disabled = account.disabledAt != nil
    }
  }

  static func explaining<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let error as AccountError {
      switch error {
      case .invalidUsername: throw Failure("this is no name to sign in with: 1 to 128 bytes, no control characters")
      case .usernameTaken: throw Failure("this name is taken")
      case .password(let violation): throw Failure(violation.explanation)
      case .notFound: throw Failure("there is nobody of this name")
      }
    }
  }
}
