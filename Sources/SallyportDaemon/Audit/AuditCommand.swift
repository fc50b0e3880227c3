public import ArgumentParser
import FoundationEssentials
import SallyportProtocol
public import SallyportServer

/// `sallyportd audit`: prints the audit trail. It can run while the server runs.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print the audit trail: sign-ins, grants, rejected requests, revocations, and changes.",
    discussion: """
      Prints the newest records that match all conditions, the newest last. Times are in UTC. Works while the server runs.
      If many requests are rejected in one minute, only some are recorded. "and 3412 more" means that 3412 more were rejected.
      """)
  @OptionGroup var data: DataOptions
  @Option(
    help: "Only records since this time: an age such as 30m, 2h, or 7d, or a time such as 2026-11-21 or 2026-11-21T10:00:00Z.")
  var since: String?
  @Option(help: "Only records before this time, in the form of --since.") var until: String?
  @Option(
    help: ArgumentHelp("Only records of this user. For a removed user, the account ID from the records.", valueName: "name-or-id")
  )
  var account: String?
  @Option(help: ArgumentHelp("Only records of this app.", valueName: "client-id")) var client: String?
  @Option(help: ArgumentHelp("Only records of this event. Repeatable.", valueName: "event")) var kind: [AuditEvent] = []
  @Option(
    help: ArgumentHelp("Only records of the request with this ID, as shown on error pages and in the log.", valueName: "id"))
  var request: String?
  @Option(help: "Only records of requests from this IP address.") var address: String?
  @Option(help: "The maximum number of records. (default: 100)") var limit: Int?
  @Flag(help: "Print all matching records, the oldest first.") var all = false
  @Flag(help: "Print new records until interrupted.") var follow = false
  @Flag(help: "Print one JSON object per line.") var json = false

  func validate() throws {
    if let limit, !(1...100_000).contains(limit) {
      throw ValidationError("--limit must be from 1 to 100000")
    }
    if self.all, self.limit != nil || self.follow {
      throw ValidationError("--all cannot be combined with --limit or --follow")
    }
    if self.follow, self.until != nil { throw ValidationError("--follow cannot be combined with --until") }
    for (name, text) in [("--since", self.since), ("--until", self.until)] {
      if let text, AuditTime.parse(text, at: .now()) == nil {
        throw ValidationError("\(name) must be a time such as 2h, 7d, 2026-11-21, or 2026-11-21T10:00:00Z")
      }
    }
  }

  func run() async throws {
    let store = try await self.data.open().store
    let (reader, query) = (AuditReader(store: store), try await self.query(of: store))
    if self.all { return try await reader.all(query, self.print) }
    if self.follow { return try await reader.follow(query, self.print) }
    for line in try await reader.newestLines(query) { try self.print(line) }
  }

  /// The query that the options describe.
  func query(of store: any Store, at now: Timestamp = .now()) async throws -> AuditQuery {
    var query = AuditQuery(limit: self.limit ?? 100)
    query.since = self.since.flatMap { AuditTime.parse($0, at: now) }
    query.until = self.until.flatMap { AuditTime.parse($0, at: now) }
    if !self.kind.isEmpty { query.events = Set(self.kind) }
    query.requestID = self.request
    query.address = self.address
    if let name = self.account { query.account = try await Self.account(name, in: store) }
    if let id = self.client { query.client = try await Self.client(id, in: store) }
    return query
  }

  /// Returns the account with this user name or ID.
  /// - Throws: ``Failure`` if there is no such account, and the audit trail contains no records of a removed account
  ///   with this ID.
  private static func account(_ nameOrID: String, in store: any Store) async throws -> AccountID {
    let (username, id) = (Username(nameOrID), AccountID(rawValue: nameOrID))
    var records = AuditQuery(limit: 1)
    records.account = id
    let account = try await store.read { [records] (tx) throws(StoreError) -> AccountID? in
      if let username, let account = try tx.account(named: username) { return account.id }
      if try tx.account(id) != nil { return id }
      return try tx.auditRecords(records).isEmpty ? nil : id
    }
    guard let account else {
      throw Failure("there is no user \"\(nameOrID)\", and the audit trail has no records for an account with this ID")
    }
    return account
  }

  /// - Throws: ``Failure`` if there is no such client, and the audit trail contains no records of a removed client with
  ///   this ID.
  private static func client(_ id: String, in store: any Store) async throws -> ClientID {
    let client = ClientID(rawValue: id)
    var records = AuditQuery(limit: 1)
    records.client = client
    let isKnown = try await store.read { [records] (tx) throws(StoreError) in
      if try tx.client(client) != nil { return true }
      return try !tx.auditRecords(records).isEmpty
    }
    guard isKnown else { throw Failure("there is no client \"\(id)\", and the audit trail has no records for it") }
    return client
  }

  private func print(_ line: AuditLine) throws {
    guard self.json else { return Console.print(line.text) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    Console.print(String(decoding: try encoder.encode(line), as: UTF8.self))
  }
}

extension AuditEvent: ExpressibleByArgument {}
