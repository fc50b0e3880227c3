import ArgumentParser
import SallyportArgon2
import SallyportProtocol
import SallyportServer

/// `sallyportd user`: manages the users. It can run while the server runs.
struct User: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Manage the users who can sign in.",
    subcommands: [
      Add.self, Invite.self, List.self, Edit.self, Password.self, Reset.self, Disable.self, Enable.self, SignOut.self,
      Factors.self, Remove.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a user. The password is read from standard input.",
      discussion: "A password must have at least 15 characters and be hard to guess, for example four random words.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Option(help: "The user's full name.") var name: String?
    @Option(help: "The user's email address.") var email: String?
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts()
      let account = try await User.explaining {
        try await accounts.add(
          username: self.username, password: try Console.readSecret("Password"), name: self.name, email: self.email)
      }
      if self.json { try Console.print(json: Row(account)) } else { Console.printMessage("added \(account.username)") }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the users.")
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
    static let configuration = CommandConfiguration(abstract: "Disable a user and end the user's sessions and tokens.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts()
      let account = try await User.explaining {
        try await accounts.disable(self.username)
        return try await accounts.find(self.username)
      }
      if self.json { try Console.print(json: Row(account)) } else { Console.printMessage("disabled \(account.username)") }
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set a new password, read from standard input. The user's sessions and tokens end.",
      discussion: "A password must have at least 15 characters and be hard to guess, for example four random words.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts()
      let account = try await User.explaining {
        try await accounts.setPassword(try Console.readSecret("Password"), of: self.username)
        return try await accounts.find(self.username)
      }
      if self.json { try Console.print(json: Row(account)) } else { Console.printMessage("password set for \(account.username)") }
    }
  }

  /// The JSON of a user.
  struct Row: Encodable {
    let username: String
    let sub: String
    let name: String?
    let email: String?
    let emailVerified: Bool
    let language: String?
    let disabled: Bool

    init(_ account: AccountRecord) {
      self.username = account.username.value
      self.sub = account.id.rawValue
      self.name = account.name
      self.email = account.email
      self.emailVerified = account.emailVerifiedAt != nil
      self.language = account.language
      self.disabled = account.disabledAt != nil
    }

    private enum CodingKeys: String, CodingKey {
      case username, sub, name, email, language, disabled
      case emailVerified = "email_verified"
    }
  }

  /// Replaces an `AccountError` or `AccountLinkError` that `body` throws with a ``Failure`` for the operator.
  static func explaining<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let error as AccountLinkError {
      throw Failure(self.explanation(of: error))
    } catch let error as AccountError {
      throw Failure(self.explanation(of: error))
    }
  }

  private static func explanation(of error: AccountLinkError) -> String {
    switch error {
    case .invalidUsername: self.explanation(of: AccountError.invalidUsername)
    case .disabled: "the user is disabled; enable the user first, with 'sallyportd user enable'"
    case .notFound: self.explanation(of: AccountError.notFound)
    case .hasPassword: "the user already has a password; use 'sallyportd user reset' to create a link for a new one"
    case .otherAddress:
      "the user exists and has another email address; to change it, use 'sallyportd user edit NAME --email ADDRESS' first"
    case .noAddress: "the user has no email address to which mail can be sent; set one with 'sallyportd user edit'"
    }
  }

  private static func explanation(of error: AccountError) -> String {
    switch error {
    case .invalidUsername:
      "the user name is invalid: it must have 1 to 128 bytes and no control characters, and must not begin with a combining mark"
    case .usernameTaken: "a user with this user name already exists"
    case .password(let violation): violation.explanation
    case .invalidName: "the name is invalid: it must have at most 256 bytes and no control characters"
    case .invalidEmail: "the email address is invalid: it must have the form name@host and at most 254 bytes"
    case .notFound: "there is no user with this user name"
    }
  }
}
