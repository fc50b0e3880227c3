import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportServer

extension ClientCommand {
  /// `sallyportd client import`: adds and changes clients to match a file. Importing the same file again changes
  /// nothing.
  struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Add and change apps to match a file.",
      discussion: """
        The file is a JSON array of client metadata (RFC 7591 §2), each with a client_id. It can also contain client_secret, first_party,
        require_pkce, require_acr, web_views, resources, audiences, apple_app_ids, and android_apps. You can import the output of
        'client list --json' and 'client show --json', which contains no secrets. Apps that no operator added are skipped. Existing apps
        are changed to match the file. Apps that are not in the file stay as they are. If the file contains mistakes, nothing is imported,
        and the mistakes in all entries are reported.
        If the file contains no secret for an app that needs one, an existing app keeps its secret, and a new app gets a secret, which is
        shown once. A native app with a secret or a key is registered as a single installation, because other
        installations must not share its secret or key.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The JSON file to import.") var file: String
    @Flag(help: "Show the changes without making them.") var dryRun = false
    @Flag(help: "Print JSON.") var json = false

    enum Change: String, Encodable { case added, changed, unchanged }

    struct Row: Encodable, Sendable {
      let clientID: String
      let result: Change
      let clientSecret: String?

      private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case result
        case clientSecret = "client_secret"
      }
    }

    func run() async throws {
      let schemes = try self.data.schemes()
      let entries = try self.entries(schemes)
      let store = try await self.data.open().store
      let (isDryRun, now) = (self.dryRun, Timestamp.now())
      let outcome: Result<[Row], Failure> = try await store.write { (tx) throws(StoreError) in
        try Self.apply(entries, schemes, isDryRun: isDryRun, at: now, in: &tx)
      }
      let rows = try outcome.get()
      if !isDryRun {
        try await ClientCommand.warnOfSharedSchemes(in: store, about: Set(rows.map { ClientID(rawValue: $0.clientID) }))
      }
      if self.json { return try Console.print(json: rows) }
      for row in rows {
        Console.print(([row.clientID, row.result.rawValue] + [row.clientSecret].compactMap(\.self)).joined(separator: "\t"))
      }
      if rows.contains(where: { $0.clientSecret != nil }) {
        Console.printMessage("the third column is the client's secret, which is not shown again")
      }
    }

    private func entries(_ schemes: Set<String>) throws(Failure) -> [ClientFile.Entry] {
      guard let bytes = try? Data(contentsOf: URL(filePath: self.file)) else { throw Failure("cannot read \(self.file)") }
      guard let file = try? JSONDecoder().decode(ClientFile.self, from: bytes) else {
        throw Failure("\(self.file) must contain a JSON array of clients or a single client object")
      }
      let others = file.elements.compactMap { try? $0.entry.get() }.filter(\.belongsToNoOperator).compactMap(\.clientID)
      if !others.isEmpty {
        Console.printMessage("skipped clients that no operator added: \(others.joined(separator: ", "))")
      }
      return try Self.checked(file, name: self.file, schemes: schemes)
    }

    /// Checks the entries of a file and returns them. Skips clients that no operator added, because the output of
    /// `client list --json` contains them too.
    /// - Parameters:
    ///   - name: The name of the file for the error.
    ///   - schemes: The private-use schemes without a period that the server's settings allow.
    /// - Throws: If any client has a mistake, an error that lists the mistakes of all clients.
    static func checked(
      _ file: ClientFile, name: String, schemes: Set<String> = []
    ) throws(Failure) -> [ClientFile.Entry] {
      var (entries, problems): ([ClientFile.Entry], [String]) = ([], [])
      for (index, element) in file.elements.enumerated() {
        var entryProblems = element.unknownMembers.map(\.text)
        switch element.entry {
        case .failure(let error): entryProblems.append(error.text)
        case .success(let entry) where entry.belongsToNoOperator: continue
        case .success(let entry):
          entryProblems += entry.problems(schemes: schemes)
          if entry.clientID != nil, entries.contains(where: { $0.clientID == entry.clientID }) {
            entryProblems.append("client_id: occurs twice in the file")
          }
          entries.append(entry)
        }
        let title = element.clientID ?? "client \(index + 1)"
        problems += entryProblems.map { "\(title): \($0)" }
      }
      guard problems.isEmpty else { throw Failure("\(name) was not imported:\n  \(problems.joined(separator: "\n  "))") }
      return entries
    }

    /// Adds and changes the clients.
    /// - Returns: A row for each client; or, if a client ID belongs to a client that no operator added, a failure
    ///   before the first change.
    private static func apply(
      _ entries: [ClientFile.Entry], _ schemes: Set<String>, isDryRun: Bool, at now: Timestamp, in tx: inout any StoreTransaction
    ) throws(StoreError) -> Result<[Row], Failure> {
      var storedClients: [String: ClientRecord] = [:]
      for id in entries.compactMap(\.clientID) {
        storedClients[id] = try tx.client(ClientID(rawValue: id))
        guard storedClients[id].map({ $0.origin == .operator }) ?? true else {
          return .failure(Failure("\(id): a client that was not added by an operator has this client ID; remove it first"))
        }
      }
      var rows: [Row] = []
      for entry in entries {
        let storedClient = entry.clientID.flatMap { storedClients[$0] }
        let record: ClientRecord
        let secret: Secret<String>?
        // Invalid entries were rejected before the transaction; see `checked(_:name:schemes:)`.
        do { (record, secret) = try entry.record(at: now, replacing: storedClient, schemes: schemes) } catch { throw .rolledBack }
        let change: Change = storedClient.map { $0 == record ? .unchanged : .changed } ?? .added
        rows.append(Row(clientID: record.id.rawValue, result: change, clientSecret: isDryRun ? nil : secret?.reveal()))
        guard !isDryRun, change != .unchanged else { continue }
        if storedClient == nil {
          try tx.add(record, from: .command, at: now)
        } else {
          _ = try tx.change(record, from: .command, at: now)
        }
      }
      return .success(rows)
    }
  }
}
