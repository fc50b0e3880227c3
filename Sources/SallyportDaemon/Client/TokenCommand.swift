import ArgumentParser
import SallyportProtocol
import SallyportServer

extension ClientCommand {
  /// `sallyportd client token`: manages the initial access tokens for `serve --registration token` (RFC 7591 §3).
  struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token", abstract: "Manage the initial access tokens that apps need to register themselves.",
      subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Create a token, which is shown once.")
      @OptionGroup var data: DataOptions
      @Option(help: "A label that identifies the token in lists.") var label: String
      @Option(help: "The number of registrations for which the token is valid.") var uses = 1
      @Option(help: "The number of days for which the token is valid.") var days = 7

      func validate() throws {
        guard (1...1_000_000).contains(self.uses) else { throw ValidationError("--uses must be from 1 to 1000000") }
        guard (1...3650).contains(self.days) else { throw ValidationError("--days must be from 1 to 3650") }
      }

      func run() async throws {
        let token = InitialAccessToken.random()
        let now = Timestamp.now()
        let record = InitialAccessTokenRecord(
          fingerprint: token.fingerprint, label: self.label, createdAt: now, expiresAt: now + .seconds(self.days * 86_400),
          remainingUses: self.uses)
        try await self.data.open().store.write { (tx) throws(StoreError) in
          try tx.insert(record)
          try tx.insert(AuditRecord(.initialAccessTokenAdded, subject: record.label, from: .command, at: now))
        }
        Console.print(token.text.reveal())
      }
    }

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "List the tokens.")
      @OptionGroup var data: DataOptions

      func run() async throws {
        let tokens = try await self.data.open().store.read { (tx) throws(StoreError) in try tx.initialAccessTokens() }
        for token in tokens { Console.print("\(token.label)\t\(token.remainingUses)\t\(token.expiresAt.date)") }
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Remove all tokens with the given label.")
      @OptionGroup var data: DataOptions
      @Argument(help: "The label of the tokens.") var label: String

      func run() async throws {
        let (label, now) = (self.label, Timestamp.now())
        let removed = try await self.data.open().store.write { (tx) throws(StoreError) -> Int in
          let tokens = try tx.initialAccessTokens().filter { $0.label == label }
          guard !tokens.isEmpty else { return 0 }
          // A removal requires `recorded`, the proof that this transaction contains an audit record.
          let recorded = try tx.record(AuditRecord(.initialAccessTokenRemoved, subject: label, from: .command, at: now))
          for token in tokens { _ = try tx.removeInitialAccessToken(token.fingerprint, recorded) }
          return tokens.count
        }
        guard removed > 0 else { throw Failure("there is no token with the label \"\(label)\"") }
        Console.printMessage("tokens removed: \(removed)")
      }
    }
  }
}
