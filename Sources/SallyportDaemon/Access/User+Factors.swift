import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportServer

extension User {
  struct Factors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List how a user can sign in, or remove a passkey.",
      discussion: """
        Prints when the password was last set, and for each passkey its ID, its name, when it was added, and when it was last used. With \
        --remove, removes one passkey, for example because the user has lost the device. Sessions that began with the passkey continue: to \
        end them, use 'sallyportd user sign-out'.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Option(help: ArgumentHelp("The ID of a passkey to remove.", valueName: "id")) var remove: String?
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let accounts = try await self.data.accounts()
      if let id = self.remove { return try await self.removePasskey(id, accounts) }
      let account = try await User.explaining { try await accounts.find(self.username) }
      let passkeys = try await User.explaining { try await accounts.passkeys(of: self.username) }
      let factors = Result(account, passkeys)
      if self.json { return try Console.print(json: factors) }
      Console.print("password\t\(factors.passwordChangedAt)")
      for passkey in factors.passkeys {
        // Quoted, because users choose the names.
        Console.print(
          "passkey\t\(passkey.id)\t\(passkey.name.debugDescription)\t\(passkey.createdAt)\t\(passkey.lastUsedAt ?? "-")")
      }
    }

    private func removePasskey(_ id: String, _ accounts: Accounts) async throws {
      let isRemoved = try await User.explaining {
        guard let id = Base64URL.decode(id) else { return false }
        return try await accounts.removePasskey(id, of: self.username)
      }
      guard isRemoved else { throw Failure("\(self.username) has no passkey with the ID \"\(id)\"") }
      if self.json { try Console.print(json: ["id": id]) } else { Console.printMessage("removed \(id)") }
    }

    /// The JSON of the result. Times are in UTC (ISO 8601).
    private struct Result: Encodable {
      struct Passkey: Encodable {
        /// The credential ID in base64url.
        let id: String
        let name: String
        let isBackedUp: Bool
        let isAttested: Bool
        let createdAt: String
        let lastUsedAt: String?
      }

      let passwordChangedAt: String
      let passkeys: [Passkey]

      init(_ account: AccountRecord, _ passkeys: [PasskeyRecord]) {
        self.passwordChangedAt = account.passwordChangedAt.date.formatted(.iso8601)
        self.passkeys = passkeys.map { passkey in
          Passkey(
            id: Base64URL.encode(passkey.id), name: passkey.name, isBackedUp: passkey.isBackedUp, isAttested: passkey.isAttested,
            createdAt: passkey.createdAt.date.formatted(.iso8601), lastUsedAt: passkey.lastUsedAt?.date.formatted(.iso8601))
        }
      }
    }
  }
}
