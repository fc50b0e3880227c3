import ArgumentParser
import SallyportLanguages
import SallyportServer

// The commands that change existing users.
extension User {
  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a user's name, email address, or language.",
      discussion:
        "An empty value removes the name, the email address, or the language. A new email address is not verified, unless --email-verified is given."
    )
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Option(help: "The user's full name.") var name: String?
    @Option(help: "The user's email address.") var email: String?
    @Option(
      help: ArgumentHelp(
        "The language of pages and mail for the user, such as de. An empty value means the browser's language.",
        valueName: "tag"))
    var language: String?
    @Flag(help: "State in tokens that the email address is verified. The user can then reset the password by mail.")
    var emailVerified = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
      guard self.name != nil || self.email != nil || self.emailVerified || self.language != nil else {
        throw ValidationError("specify --name, --email, --email-verified, or --language")
      }
      if let language = self.language, !language.isEmpty, Language(rawValue: language) == nil {
        let tags = Language.allCases.map(\.tag).joined(separator: ", ")
        throw ValidationError("--language must be one of \(tags), or empty, not \"\(language)\"")
      }
    }

    func run() async throws {
      let accounts = try await self.data.accounts()
      let account = try await User.explaining {
        let changed = try await accounts.edit(
          self.username, name: self.name, email: self.email, isEmailVerified: self.emailVerified)
        guard let language = self.language else { return changed }
        return try await accounts.setLanguage(Language(rawValue: language), of: self.username)
      }
      if self.emailVerified, let email = account.email {
        for shared in SharedAddress.find(in: try await accounts.accounts(withVerifiedEmail: email, limit: 10)) {
          Console.printMessage("warning: \(shared.warning)")
        }
      }
      if self.json { try Console.print(json: Row(account)) } else { Console.printMessage("changed \(account.username)") }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enable a user who was disabled.",
      discussion: "The sessions and tokens that ended when the user was disabled do not return.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts()
      let account = try await User.explaining { try await accounts.enable(self.username) }
      if self.json { try Console.print(json: Row(account)) } else { Console.printMessage("enabled \(account.username)") }
    }
  }

  struct SignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign-out", abstract: "Sign a user out of all browsers.",
      discussion: """
        Grants with the scope offline_access, and devices that the user approved, keep their access. To end that access, revoke the grants with
        'sallyportd grant revoke', or set a new password, which ends all sessions, grants, and device approvals of the user.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Flag(help: "Print JSON.") var json = false

    struct Result: Encodable {
      let username: String
      /// The number of sessions that ended.
      let sessions: Int
    }

    func run() async throws {
      let accounts = try await self.data.accounts()
      let count = try await User.explaining { try await accounts.signOut(self.username) }
      if self.json { return try Console.print(json: Result(username: self.username, sessions: count)) }
      Console.printMessage("signed \(self.username) out of \(count) \(count == 1 ? "browser" : "browsers")")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a user with all sessions, consents, and tokens.",
      discussion: """
        This cannot be undone. Clients are notified of the sign-out. Records of the audit trail remain until they expire.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts()
      let account = try await User.explaining { try await accounts.remove(self.username) }
      if self.json { try Console.print(json: Row(account)) } else { Console.printMessage("removed \(account.username)") }
    }
  }
}
