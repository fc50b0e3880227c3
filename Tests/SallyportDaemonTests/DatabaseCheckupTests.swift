import ArgumentParser
import Foundation
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportDaemon
@testable import SallyportSQLite

@Suite("sallyportd doctor: the database")
struct DatabaseCheckupTests {
  /// Runs `body` with a data directory that contains keys, as after the first start of the server.
  private func withData(_ body: (Folder, DataDirectory, ServerSettings) async throws -> Void) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let directory = try DataDirectory(path: folder.path)
    try await KeyManagement(store: directory.store, masterKey: directory.masterKey).ensureKeys()
    var settings = ServerSettings(issuer: try Issuer("https://id.example.com"))
    settings.data = folder.path
    try await body(folder, directory, settings)
  }

  /// Returns the level and topic of each finding.
  /// - Parameter maximumExpiredRows: The number of expired rows above which there is a warning.
  private func summary(_ settings: ServerSettings, maximumExpiredRows: Int = 100_000) async throws -> [String] {
    try await DatabaseCheckup.run(settings, maximumExpiredRows: maximumExpiredRows).findings
      .map { "\($0.level.rawValue) \($0.about)" }
  }

  private static let good = ["ok database", "ok keys", "ok clients"]

  @Test("an intact database has no problems, and the result contains the IDs of its signing keys")
  func good() async throws {
    try await self.withData { _, directory, settings in
      #expect(try await self.summary(settings) == Self.good)
      let keys = try await directory.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
      #expect(Set(try await DatabaseCheckup.run(settings).signingKeys) == Set(keys.map(\.id)))
    }
  }

  @Test("damage and unsupported schema versions are problems, and an earlier schema version is a warning")
  func conditions() async throws {
    func levels(_ condition: DatabaseCondition) -> [Finding.Level] { DatabaseCheckup.findings(condition).map(\.level) }
    #expect(levels(DatabaseCondition(version: .current)) == [.ok] && levels(DatabaseCondition(version: .older)) == [.warning])
    #expect(
      levels(DatabaseCondition(version: .newer)) == [.problem] && levels(DatabaseCondition(version: .foreign)) == [.problem])
    #expect(levels(DatabaseCondition(version: .current, damage: ["a", "b"])) == [.problem, .problem])
    let folder = try Folder()
    defer { folder.remove() }
    try folder.write("this is not a database", to: "sallyport.db")
    var settings = ServerSettings(issuer: try Issuer("https://id.example.com"))
    settings.data = folder.path
    #expect(try await self.summary(settings) == ["problem database"])
  }

  @Test("a key file that does not match the database and a damaged key file are problems")
  func otherKey() async throws {
    try await self.withData { folder, _, settings in
      try folder.write(Base64URL.encode(MasterKey.randomMaterial().reveal()) + "\n", to: "key")
      // There is one problem for each of the two signing keys.
      #expect(try await self.summary(settings) == ["ok database", "problem keys", "problem keys", "ok clients"])
      try folder.write("short", to: "key")
      #expect(try await self.summary(settings) == ["ok database", "problem database"])
    }
  }

  @Test("rows with a creation time in the future and registrations that violate a rule are problems")
  func rows() async throws {
    try await self.withData { _, directory, settings in
      let client = ClientRecord(
        id: ClientID(rawValue: "notes"), name: "Notes", type: .public, applicationType: .native, redirectURIs: [],
        scope: "openid", createdAt: .now() + .seconds(3_600))
      try await directory.store.write { (tx) throws(StoreError) in try tx.insert(client) }
      #expect(try await self.summary(settings) == ["ok database", "ok keys", "problem clock", "problem clients"])
    }
  }

  @Test("a client that has not accepted a logout token in three attempts causes a warning")
  func deliveries() async throws {
    try await self.withData { _, directory, settings in
      let client = ClientRecord(
        id: ClientID(rawValue: "notes"), name: "Notes", type: .public, applicationType: .native,
        redirectURIs: [try RedirectURI("http://127.0.0.1/cb")], scope: "openid", createdAt: .now())
      let account = AccountRecord(
        id: AccountID(rawValue: "acct-1"), username: try #require(Username("ada")), passwordHash: "x", passwordChangedAt: .now(),
        createdAt: .now())
      @Sendable func delivery(_ id: String, attempts: Int) -> LogoutDeliveryRecord {
        LogoutDeliveryRecord(
          id: id, client: client.id, account: account.id, sessionID: id, attempts: attempts, dueAt: .now() + .seconds(60),
          expiresAt: .now() + .seconds(3_600))
      }
      try await directory.store.write { (tx) throws(StoreError) in
        try tx.insert(client)
        try tx.insert(account)
        try tx.insert(delivery("a", attempts: 2))
      }
      #expect(try await self.summary(settings) == Self.good)
      try await directory.store.write { (tx) throws(StoreError) in
        for delivery in [delivery("b", attempts: 3), delivery("c", attempts: 4)] { try tx.insert(delivery) }
      }
      #expect(try await self.summary(settings) == ["ok database", "ok keys", "warning clients", "ok clients"])
    }
  }

  @Test("users who have the same verified email address cause a warning, and an address that is not verified does not")
  func sharedAddresses() async throws {
    try await self.withData { _, directory, settings in
      func add(_ name: String, _ email: String, isVerified: Bool) async throws {
        let account = AccountRecord(
          id: .random(), username: try #require(Username(name)), passwordHash: "x", passwordChangedAt: .now(), email: email,
          emailVerifiedAt: isVerified ? .now() : nil, createdAt: .now())
        try await directory.store.write { (tx) throws(StoreError) in try tx.insert(account) }
      }
      try await add("ada", "ada@example.com", isVerified: true)
      try await add("bob", "ada@example.com", isVerified: false)
      try await add("carol", "carol@example.com", isVerified: true)
      #expect(try await self.summary(settings) == Self.good)
      try await add("dora", "ADA@example.com", isVerified: true)
      let findings = try await DatabaseCheckup.run(settings).findings.filter { $0.about == "accounts" }
      #expect(findings.map(\.level) == [.warning])
      #expect(findings.first?.text.hasPrefix("the users ada, dora have the same verified email address") == true)
    }
  }

  @Test("too many rows that expired more than ten minutes ago cause a warning")
  func expiredRows() async throws {
    try await self.withData { _, directory, settings in
      try await directory.store.write { (tx) throws(StoreError) in
        for (name, secondsAgo) in [("a", 700), ("b", 800), ("c", 60)] {
          _ = try tx.consumeInteraction(name, expires: .now() - .seconds(secondsAgo))
        }
      }
      #expect(try await self.summary(settings, maximumExpiredRows: 2) == Self.good)
      let expected = ["ok database", "warning database", "ok keys", "ok clients"]
      #expect(try await self.summary(settings, maximumExpiredRows: 1) == expected)
    }
  }

  @Test("the command exits with 1 if there is a problem, and with 0 if there are only warnings")
  func exitCode() async throws {
    try await self.withData { folder, _, _ in
      func run(_ more: [String] = []) async throws {
        try await Doctor.parse(["--data", folder.path, "--issuer", "http://localhost:1", "--json"] + more).run()
      }
      try await run(["--offline"])
      // No server listens at the issuer's URL.
      await #expect(throws: ExitCode(1)) { try await run() }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(folder.path)/key")
      await #expect(throws: ExitCode(1)) { try await run(["--offline"]) }
      await #expect(throws: SettingsMistakes.self) { try await run(["--log-level", "loud"]) }
    }
  }
}
