import Foundation
import PostgresTestSupport
import SallyportPostgres
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import Testing

@Suite("Copies between SQLite and PostgreSQL", .serialized, .timeLimit(.minutes(3)))
struct StoreCopyTests {
  private struct Site {
    let database: TestDatabase
    let postgres: PostgresStore
    let sqlite: SQLiteStore
    private let folder: String

    init() throws {
      self.database = try TestDatabase()
      self.postgres = try self.database.open()
      self.folder = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID().uuidString)").path
      self.sqlite = try SQLiteStore(path: "\(self.folder)/store.sqlite")
    }

    func remove() {
      self.database.close()
      try? self.sqlite.close()
      try? FileManager.default.removeItem(atPath: self.folder)
    }

    /// Opens another SQLite database in the same folder.
    func otherSQLite() throws -> SQLiteStore { try SQLiteStore(path: "\(self.folder)/other.sqlite") }
  }

  /// Fills a store with an account, a client, a session, grants with rotated refresh tokens, and other rows. One of the
  /// grants is revoked.
  private static func fill(_ store: any Store, grants: Int = 4) async throws {
    try await store.prepareExample(grants: grants)
    let session = BrowserSessionRecord(
      fingerprint: Fingerprint(of: Secret("session")), id: "sid", account: AccountID(rawValue: "account"),
      authenticatedAt: .example, authenticationMethods: ["pop", "user", "mfa"], lastSeenAt: .example,
      expiresAt: .example + .seconds(60), userAgent: "Firefox", address: "192.0.2.1", isOnPublicDevice: true,
      upstream: UpstreamSession(issuer: "https://login.example", subject: "subject", sessionID: "upstream session"))
    try await store.write { (tx) throws(StoreError) in
      for grant in 0..<min(grants, 4) { _ = try tx.rotate(1, of: grant) }
      try tx.insert(session)
      let recorded = try tx.record(AuditRecord(.codeReplayed, grant: .numbered(0), from: .server, at: .example))
      _ = try tx.revokeGrant(.numbered(0), reason: .codeReplayed, at: .example, recorded)
      _ = try tx.countAttempt(Fingerprint(of: Secret("attempt")), window: .seconds(60), at: .example)
      _ = try tx.consumeInteraction("interaction", expires: .example)
    }
  }

  private static func copy(_ source: any CopyableStore, _ target: any CopyableStore) async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    try await StoreCopy(from: source, to: target).run { counts[$0] = $1 }
    return counts
  }

  @Test("an installation is copied to PostgreSQL and back, and its refresh tokens and session stay valid")
  func copiesBothWays() async throws {
    let site = try Site()
    defer { site.remove() }
    try await Self.fill(site.sqlite)
    let version = try await site.postgres.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    let there = try await Self.copy(site.sqlite, site.postgres)
    // Each of the four grants has two refresh tokens: token 1, and its successor 2.
    #expect(there["oauth_grant"] == 4 && there["refresh_token"] == 8 && there["client_redirect_uri"] == 1)
    #expect(try await site.postgres.write { (tx) throws(StoreError) in try tx.rotate(2, of: 1) })
    // Grant 0 is revoked.
    #expect(try await site.postgres.write { (tx) throws(StoreError) in try tx.rotate(2, of: 0) } == false)
    let session = try await site.postgres.read { (snapshot) throws(StoreError) in
      try snapshot.browserSession(Fingerprint(of: Secret("session")))
    }
    #expect(session?.id == "sid" && session?.userAgent == "Firefox" && session?.address == "192.0.2.1")
    #expect(session?.isOnPublicDevice == true && session?.upstream?.sessionID == "upstream session")
    #expect(try await site.postgres.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() } > version)
    let other = try site.otherSQLite()
    let back = try await Self.copy(site.postgres, other)
    #expect(back["refresh_token"] == 9)
    #expect(try await other.write { (tx) throws(StoreError) in try tx.rotate(3, of: 1) })
    try other.close()
  }

  @Test("the triggers of the target reject tokens of revoked grants after a copy")
  func keepsTriggers() async throws {
    let site = try Site()
    defer { site.remove() }
    try await Self.fill(site.sqlite)
    _ = try await Self.copy(site.sqlite, site.postgres)
    let other = try site.otherSQLite()
    _ = try await Self.copy(site.postgres, other)
    for store in [site.postgres, other] as [any Store] {
      await #expect(throws: StoreError.conflict) {
        try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(3, of: .numbered(0))) }
      }
    }
    try other.close()
  }

  @Test("an interrupted copy can be continued")
  func continues() async throws {
    let site = try Site()
    defer { site.remove() }
    try await Self.fill(site.sqlite, grants: 1_200)
    // The rows of an interrupted copy: all tables before the grants, and some of the grants.
    for table in StoredTable.all {
      let rows = try await site.sqlite.storedRows(of: table, after: nil, limit: 700)
      try await site.postgres.insertStoredRows(rows, into: table)
      if table.name == "oauth_grant" { break }
    }
    #expect(try await Self.copy(site.sqlite, site.postgres)["oauth_grant"] == 1_200)
    // A complete copy can also be repeated.
    #expect(try await Self.copy(site.sqlite, site.postgres)["oauth_grant"] == 1_200)
  }

  @Test("a target with other data is rejected, and no rows are copied to it")
  func rejectsOtherData() async throws {
    let site = try Site()
    defer { site.remove() }
    try await Self.fill(site.sqlite)
    try await Self.fill(site.postgres, grants: 2)
    try site.database.query("UPDATE sallyport.account SET name = 'Other'")
    await #expect(throws: StoreCopyError.targetHasOtherData) { try await Self.copy(site.sqlite, site.postgres) }
    #expect(try site.database.query("SELECT count(*) FROM sallyport.oauth_grant") == "2")
  }

  @Test("the list of tables and columns matches the schema of PostgreSQL, and all of them exist in SQLite")
  func columns() async throws {
    let site = try Site()
    defer { site.remove() }
    try await site.postgres.connect()
    let columns = try site.database.query(
      """
      SELECT table_name || ' ' || column_name FROM information_schema.columns
      WHERE table_schema = 'sallyport' AND table_name NOT IN ('schema_version', 'migration', 'configuration')
      """)
    let listed = StoredTable.all.flatMap { table in table.columns.map { "\(table.name) \($0.name)" } }
    #expect(Set(columns.split(separator: "\n").map { String($0) }) == Set(listed))
    for table in StoredTable.all { #expect(try await site.sqlite.storedRows(of: table, after: nil, limit: 1).isEmpty) }
  }
}
