import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportServer

/// `sallyportd grant`: lists and revokes what users have allowed apps to do. It can run while the server runs.
struct GrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant", abstract: "Manage the access that users have given to apps.", subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the valid grants.")
    @OptionGroup var data: DataOptions
    @Option(help: ArgumentHelp("Only grants of this user.", valueName: "name")) var user: String?
    @Option(help: ArgumentHelp("Only grants to this app.", valueName: "client-id")) var client: String?
    @Flag(help: "Print JSON.") var json = false

    /// The number of grants that one transaction reads, unless the user is specified.
    private static var pageSize: Int { 500 }

    func run() async throws {
      let store = try await self.data.open().store
      let now = Timestamp.now()
      var account: AccountRecord?
      if let user { account = try await store.account(named: user) }
      var app: ClientRecord?
      if let client { app = try await store.client(withID: client) }
      let accounts = if let account { [account] } else { try await store.allAccounts() }
      let names = Dictionary(accounts.map { ($0.id, $0.username.value) }, uniquingKeysWith: { first, _ in first })
      var rows: [Row] = []
      try await Self.forEachPage(of: account?.id, app?.id, in: store) { uses in
        let valid = uses.filter { now < $0.grant.expiresAt }.map { Row($0, username: names[$0.grant.account]) }
        if self.json { rows += valid } else { for row in valid { Console.print(row.line) } }
      }
      if self.json { try Console.print(json: rows) }
    }

    /// Reads the grants in several short transactions, and calls `body` after each of them. If an account is specified,
    /// one transaction reads all of its grants.
    private static func forEachPage(
      of account: AccountID?, _ client: ClientID?, in store: any Store, _ body: ([GrantUse]) throws -> Void
    ) async throws {
      if let account {
        let uses = try await store.read { (tx) throws(StoreError) in try tx.grants(of: account) }
        return try body(uses.filter { client == nil || $0.grant.client == client })
      }
      var last: GrantID?
      while true {
        let uses = try await store.read { [last] (tx) throws(StoreError) in
          try tx.grants(of: client, after: last, limit: Self.pageSize)
        }
        try body(uses)
        guard uses.count == Self.pageSize, let end = uses.last else { return }
        last = end.grant.id
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a grant and its tokens.",
      discussion: """
        The app can no longer obtain access tokens with the grant. APIs that do not use introspection accept existing access tokens until
        they expire. The command does not remove a remembered consent, with which the app can obtain a new grant while the user is signed
        in.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The grant's ID.") var id: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let (id, store) = (GrantID(rawValue: self.id), try await self.data.open().store)
      let isRevoked = try await store.write { (tx) throws(StoreError) -> Bool in
        guard let grant = try tx.grant(id), grant.revokedAt == nil else { return false }
        try tx.end(grant, for: .userRequest, from: .command, at: .now())
        return true
      }
      guard isRevoked else { throw Failure("there is no grant \"\(self.id)\", or it is already revoked") }
      if self.json { try Console.print(json: ["id": self.id]) } else { Console.printMessage("revoked \(self.id)") }
    }
  }

  /// A grant as it is printed, in JSON or as a line of text. The text contains neither ``resources`` nor ``expires``.
  private struct Row: Encodable {
    let id: String
    let username: String?
    let clientID: String
    let scope: String
    let resources: [String]
    let created: String
    let lastUsed: String
    let expires: String

    private enum CodingKeys: String, CodingKey {
      case id, username, scope, resources, created, expires
      case clientID = "client_id"
      case lastUsed = "last_used"
    }

    init(_ use: GrantUse, username: String?) {
      self.id = use.grant.id.rawValue
      self.username = username
      self.clientID = use.grant.client.rawValue
      self.scope = use.grant.scope.description
      self.resources = use.grant.resources
      self.created = use.grant.createdAt.date.formatted(.iso8601)
      self.lastUsed = (use.lastRefreshAt ?? use.grant.createdAt).date.formatted(.iso8601)
      self.expires = use.grant.expiresAt.date.formatted(.iso8601)
    }

    var line: String {
      [self.id, self.username ?? "-", self.clientID, self.created, self.lastUsed, self.scope].joined(separator: "\t")
    }
  }
}
