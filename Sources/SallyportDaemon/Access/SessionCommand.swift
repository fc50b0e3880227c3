import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportServer

/// `sallyportd session`: lists and ends the browser sessions of users. It can run while the server runs.
struct SessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session", abstract: "Manage the browsers in which users are signed in.", subcommands: [List.self, End.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the browsers in which a user is signed in.",
      discussion:
        "A session that has expired because it was not used stays in the list until the server removes it.")
    @OptionGroup var data: DataOptions
    @Option(help: ArgumentHelp("The user name.", valueName: "name")) var user: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      let store = try await self.data.open().store
      let account = try await store.account(named: self.user)
      let now = Timestamp.now()
      // `expiresAt` is the absolute limit. The limit for sessions that are not used is a setting of the server, which
      // this command does not check.
      let sessions = try await store.read { (tx) throws(StoreError) in try tx.browserSessions(of: account.id) }
        .filter { now < $0.expiresAt }.sorted { $0.lastSeenAt > $1.lastSeenAt }
      if self.json { return try Console.print(json: sessions.map { Row($0) }) }
      for session in sessions {
        let row = Row(session)
        // Quoted, because a browser can send any text.
        Console.print(
          "\(row.id)\t\(row.authenticated)\t\(row.lastSeen)\t\(row.address ?? "-")\t\((row.userAgent ?? "-").debugDescription)")
      }
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a browser session, as if the user had signed out.",
      discussion: "Revokes the grants of the session, except for grants with the scope offline_access.")
    @OptionGroup var data: DataOptions
    @Argument(help: "The session's ID.") var id: String
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
      guard try await self.data.accounts().endSession(self.id) else {
        throw Failure("there is no session \"\(self.id)\", or it has already ended")
      }
      if self.json { try Console.print(json: ["id": self.id]) } else { Console.printMessage("ended \(self.id)") }
    }
  }

  /// A session as it is printed, in JSON or as a line of text. The text does not contain ``expires``.
  private struct Row: Encodable {
    let id: String
    let authenticated: String
    let lastSeen: String
    let expires: String
    let userAgent: String?
    let address: String?

    private enum CodingKeys: String, CodingKey {
      case id, authenticated, expires, address
      case lastSeen = "last_seen"
      case userAgent = "user_agent"
    }

    init(_ session: BrowserSessionRecord) {
      self.id = session.id
      self.authenticated = session.authenticatedAt.date.formatted(.iso8601)
      self.lastSeen = session.lastSeenAt.date.formatted(.iso8601)
      self.expires = session.expiresAt.date.formatted(.iso8601)
      self.userAgent = session.userAgent
      self.address = session.address
    }
  }
}

extension Store {
  /// - Throws: ``Failure`` if there is no user with this name.
  func account(named name: String) async throws -> AccountRecord {
    guard let username = Username(name),
      let account = try await self.read({ (tx) throws(StoreError) in try tx.account(named: username) })
    else { throw Failure("there is no user \"\(name)\"") }
    return account
  }
}
