public import ArgumentParser
import SallyportProtocol
import SallyportSQLite
public import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `sallyportd audit`: prints the audit trail. It can run while the server runs.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "The audit trail: who signed in, what was granted, refused, revoked and changed.",
    discussion: """
      Prints the newest records that fit all conditions, the newest last. Times are UTC. Works while the server runs.
      Refusals are sampled when they come by the thousand: "and 3412 more" says how many there were besides.
      """)
  @OptionGroup var data: DataOptions
  @Option(help: "From this time on: 30m, 2h or 7d ago, 2026-11-21, or 2026-11-21T10:00:00Z.") var since: String?
  @Option(help: "Before this time.") var until: String?
  @Option(help: ArgumentHelp("Only of this person.", valueName: "name")) var account: String?
  @Option(help: ArgumentHelp("Only of this app.", valueName: "client-id")) var client: String?
  @Option(help: ArgumentHelp("Only these events; repeatable.", valueName: "event")) var kind: [AuditEvent] = []
  @Option(help: ArgumentHelp("Only of the request with this ID, as error pages and the log have it.", valueName: "id"))
  var request: String?
  @Option(help: "Only from this network address.") var address: String?
  @Option(help: "At most so many. (default: 100; all that fit with --all)") var limit: Int?
  @Flag(help: "All that fit, oldest first.") var all = false
  @Flag(help: "Go on printing what happens, until interrupted.") var follow = false
  @Flag(help: "Print a JSON object a line.") var json = false

  func validate() throws {
    guard self.limit.map({ (1...100_000).contains($0) }) ?? true else { throw ValidationError("--limit: 1 to 100000") }
    guard !self.all || self.limit == nil && !self.follow else {
      throw ValidationError("--all goes with neither --limit nor --follow")
    }
    guard !self.follow || self.until == nil else { throw ValidationError("--follow and --until: one of them") }
    for (name, text) in [("--since", self.since), ("--until", self.until)] {
      guard text.map({ AuditTime.parse($0, at: .now()) != nil }) ?? true else {
        throw ValidationError("\(name): a time such as 2h, 7d, 2026-11-21 or 2026-11-21T10:00:00Z")
      }
    }
  }

  func run() async throws {
    let store = try self.data.open().store
    let (reader, query) = (AuditReader(store: store), try await self.query(of: store))
    if self.all { return try await reader.all(query, self.print) }
    if self.follow { return try await reader.follow(query, self.print) }
    for line in try await reader.newest(query) { try self.print(line) }
  }

  /// The query that the options describe.
  func query(of store: SQLiteStore, at now: Timestamp = .now()) async throws -> AuditQuery {
    var query = AuditQuery(limit: self.limit ?? 100)
    query.since = self.since.flatMap { AuditTime.parse($0, at: now) }
    query.until = self.until.flatMap { AuditTime.parse($0, at: now) }
    query.events = Set(self.kind)
    query.client = self.client.map { ClientID(rawValue: $0) }
    query.requestID = self.request
    query.address = self.address
    if let name = self.account {
      guard let username = Username(name),
        let account = try await store.read({ (tx) throws(StoreError) in try tx.account(named: username) })
      else { throw Failure("there is no account \(name)") }
      query.account = account.id
    }
    return query
  }

  private func print(_ line: AuditLine) throws {
    guard self.json else { return Console.print(line.text) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    Console.print(String(decoding: try encoder.encode(line), as: UTF8.self))
  }
}

extension AuditEvent: ExpressibleByArgument {}
