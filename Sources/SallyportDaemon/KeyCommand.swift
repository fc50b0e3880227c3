import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportServer

/// `sallyportd key`: lists and rotates signing keys. It can run while the server runs.
struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Manage the keys that sign tokens.", subcommands: [List.self, Rotate.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the published keys, oldest first.")
    @OptionGroup var data: DataOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let directory = try await self.data.open()
      let keys = try await self.data.keys(in: directory).list()
      try KeyCommand.print(keys, json: self.json)
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create new signing keys.",
      discussion: """
        The new keys are published now. They sign ten minutes later, when all caches of the old key set have expired. The old keys stay
        published until all tokens that they signed have expired.

        The key file must be the one with which the current keys were encrypted, unless --immediately replaces them. With --immediately, all
        servers of the database then need the key file that this command used.
        """)
    @OptionGroup var data: DataOptions
    @Flag(
      help:
        "Withdraw the old keys after a leak: the new keys sign immediately, and existing tokens become invalid. APIs may reject new tokens for some minutes."
    )
    var immediately = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      // With --immediately, the new keys replace all old keys, so the old keys need not be readable. This is how an
      // operator continues after the key file was lost (docs/decisions/0172-check-the-key-file-first.md).
      let directory = try await self.data.open(replacingLostKey: self.immediately)
      let isOtherKeyFile = (try? await directory.checkKeyFile()) == nil
      let keys = try await self.data.keys(in: directory).rotate(immediately: self.immediately)
      if isOtherKeyFile {
        Console.printMessage(
          "sallyportd: the previous keys were not encrypted with the current key file; copy it to all servers of this database, and restart them"
        )
      }
      try KeyCommand.print(keys, json: self.json)
    }
  }

  /// A key as it is printed, in JSON or as a line of text. The text does not contain ``created``.
  private struct Row: Encodable {
    let kid: String
    let alg: String
    let state: String
    let created: String
    /// When the key begins to sign.
    let active: String

    init(_ record: SigningKeyRecord, at now: Timestamp) {
      self.kid = record.id
      self.alg = record.algorithm
      self.created = record.createdAt.date.formatted(.iso8601)
      self.active = record.activeAt.date.formatted(.iso8601)
      self.state =
        if now < record.activeAt { "published" } else if record.retiredAt.map({ $0 <= now }) ?? false { "retired" } else {
          "signing"
        }
    }
  }

  private static func print(_ keys: [SigningKeyRecord], json: Bool) throws {
    let rows = keys.map { Row($0, at: .now()) }
    if json { return try Console.print(json: rows) }
    for row in rows { Console.print("\(row.kid)\t\(row.alg)\t\(row.state)\t\(row.active)") }
  }
}
