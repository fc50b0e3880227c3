import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

/// Tests of databases with the schema and the data of earlier versions.
@Suite("Migration of earlier schemas")
struct MigrationTests {
  /// Rows for the tables of the first two migrations, except `configuration`.
  static let rows = """
    INSERT INTO account VALUES ('acct-a', 'ada', '$', 0, 'Ada', NULL, 0, NULL);
    INSERT INTO client VALUES ('app', 'Notes', 'public', 'native', 'operator', 'openid offline_access', 'ES256', NULL, 0);
    INSERT INTO client VALUES ('web', 'Web', 'confidential', 'web', 'operator', 'openid', 'RS256', zeroblob(32), 0);
    INSERT INTO client VALUES ('lost', 'Lost', 'confidential', 'web', 'dynamic', 'openid', 'RS256', NULL, 0);
    INSERT INTO client_redirect_uri VALUES ('app', 0, 'http://127.0.0.1/cb');
    INSERT INTO client_redirect_uri VALUES ('app', 1, 'com.example.app:/cb');
    INSERT INTO client_redirect_uri VALUES ('web', 0, 'https://web.example/cb');
    INSERT INTO signing_key VALUES ('k', 'ES256', x'00', 0, 0, NULL, NULL);
    INSERT INTO browser_session VALUES (zeroblob(32), 'acct-a', 1000, 2000, 90000000, NULL);
    INSERT INTO browser_session VALUES (randomblob(32), 'acct-a', 1000, 2000, 90000000, 3000);
    INSERT INTO burned_interaction VALUES ('i', 90000000);
    INSERT INTO consent VALUES ('acct-a', 'web', 'https://web.example/cb', 'openid email', 1000);
    INSERT INTO oauth_grant VALUES ('g', 'app', 'acct-a', 'openid offline_access', 'n', 1000, 2000, 90000000, NULL, NULL);
    INSERT INTO oauth_grant VALUES ('r', 'app', 'acct-a', 'openid', NULL, 1000, 2000, 90000000, NULL, NULL);
    INSERT INTO authorization_code VALUES (zeroblob(32), 'g', 'http://127.0.0.1:5/cb', NULL, 90000000, 3000, 0);
    INSERT INTO authorization_code VALUES (x'\(String(repeating: "02", count: 32))', 'r', 'http://127.0.0.1:5/cb', NULL, 90000000, NULL, 4);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "21", count: 32))', 'r', 2000, 90000000, 2500, NULL, NULL, NULL);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "22", count: 32))', 'r', 2500, 90000000, NULL, NULL, NULL, NULL);
    UPDATE oauth_grant SET revoked_at = 3000, revocation_reason = 'codeReplayed' WHERE id = 'r';
    INSERT INTO refresh_token VALUES (zeroblob(32), 'g', 2000, 90000000, 3000, NULL, NULL, NULL);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "01", count: 32))', 'g', 3500, 90000000, NULL, NULL, NULL, zeroblob(32));
    -- Two tokens that were issued and used at the same time: only the stored successor shows which one is newer.
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "05", count: 32))', 'g', 3000, 90000000, 3500, NULL, x'77', zeroblob(32));
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "04", count: 32))', 'g', 3000, 90000000, 3500, NULL, NULL, zeroblob(32));
    -- Grant h, whose tokens were issued between those of grant g, and grant k, whose tokens were all used.
    INSERT INTO oauth_grant VALUES ('h', 'app', 'acct-a', 'openid', NULL, 1000, 2000, 90000000, NULL, NULL);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "31", count: 32))', 'h', 2200, 90000000, 3200, NULL, x'78', NULL);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "32", count: 32))', 'h', 3200, 90000000, NULL, NULL, NULL, NULL);
    INSERT INTO oauth_grant VALUES ('k', 'app', 'acct-a', 'openid', NULL, 1000, 2000, 90000000, NULL, NULL);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "41", count: 32))', 'k', 2000, 90000000, 2900, NULL, NULL, NULL);
    INSERT INTO refresh_token VALUES (x'\(String(repeating: "42", count: 32))', 'k', 2900, 90000000, 3100, NULL, NULL, NULL);
    """

  /// Creates a database with these migrations only, as an earlier version did, and opens it with the current version.
  private func opened(after migrations: [String], _ rows: String = rows) async throws -> (SQLiteStore, TemporaryDirectory) {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/old.sqlite"
    let queue = try DatabaseQueue(path: path)
    try Schema.migrations.migrate(queue, upTo: try #require(migrations.last))
    #expect(try await queue.read { try Schema.migrations.appliedIdentifiers($0) } == Set(migrations))
    try await queue.write { try $0.execute(sql: rows) }
    try queue.close()
    return (try SQLiteStore(path: path), directory)
  }

  private static let first = ["1 accounts, clients and keys", "2 sessions and grants"]
  private static let zero = Fingerprint(bytes: [UInt8](repeating: 0, count: 32))
  private static let now = Timestamp(milliseconds: 4_000)

  @Test("S-10: clients keep their type, redirect URIs, and secret, and public clients stay public")
  func clients() async throws {
    let (store, directory) = try await self.opened(after: Self.first)
    defer { directory.remove() }
    let clients = try await store.read { (tx) throws(StoreError) in try tx.clients() }
    let known = Dictionary(uniqueKeysWithValues: clients.map { ($0.id.rawValue, $0) })
    let app = try #require(known["app"])
    #expect(app.type == .public && app.authenticationMethod == .none && app.applicationType == .native)
    #expect(app.redirectURIs.map(\.value) == ["http://127.0.0.1/cb", "com.example.app:/cb"] && !app.isFirstParty)
    let web = try #require(known["web"])
    #expect(web.authenticationMethod == .clientSecretBasic && web.secretFingerprint == Self.zero)
    #expect(web.grantTypes == [.authorizationCode, .refreshToken] && web.details == ClientDetails())
    // A confidential client without a secret gets the fingerprint of a secret that nobody knows.
    #expect(known["lost"]?.secretFingerprint != nil && known["lost"]?.origin == .dynamic)
  }

  @Test("S-22, S-23: sessions, consents, grants, codes, and tokens are kept, and those that were consumed stay consumed")
  func grants() async throws {
    let (store, directory) = try await self.opened(after: Self.first)
    defer { directory.remove() }
    let account = AccountID(rawValue: "acct-a")
    let found = try await store.read { (tx) throws(StoreError) in
      (
        session: try tx.browserSession(Self.zero), grant: try tx.grant(GrantID(rawValue: "g")),
        revoked: try tx.grant(GrantID(rawValue: "r")),
        codes: [
          try tx.authorizationCode(Self.zero, of: GrantID(rawValue: "g"))?.credential,
          try tx.authorizationCode(Fingerprint(bytes: .init(repeating: 2, count: 32)), of: GrantID(rawValue: "r"))?.credential,
        ],
        consents: try tx.consents(account: account, client: ClientID(rawValue: "web"), redirectURI: "https://web.example/cb")
      )
    }
    #expect(found.session?.account == account && found.session?.id.isEmpty == false && found.session?.endedAt == nil)
    #expect(found.codes.map(\.?.redirectURI) == ["http://127.0.0.1:5/cb", "http://127.0.0.1:5/cb"])
    #expect(found.codes.map(\.?.consumedAt) == [Timestamp(milliseconds: 3_000), nil])
    #expect(found.codes.map(\.?.failures) == [0, 4])
    #expect(found.consents.map(\.scope) == ["openid email"] && found.consents.map(\.resources) == [[]])
    #expect(found.grant?.nonce == "n" && found.grant?.sessionID == nil && found.grant?.resources == [])
    #expect(found.grant?.revokedAt == nil && found.revoked?.revocationReason == .codeReplayed)
    // The tokens are looked up without an ID, because earlier versions issued tokens without one. In `rows`, the
    // fingerprint of each refresh token consists of one repeated byte, which is listed here.
    let tokens = try await store.read { (tx) throws(StoreError) in
      try [UInt8(0), 4, 5, 1, 0x21, 0x22, 0x31, 0x32, 0x41, 0x42].map { (byte) throws(StoreError) -> RefreshTokenRecord? in
        try tx.refreshToken(Fingerprint(bytes: .init(repeating: byte, count: 32)), nil)?.credential
      }
    }.compactMap { $0 }
    // The migration numbers the tokens of each grant: 0 is the newest token, and older tokens have negative numbers.
    try #require(tokens.map(\.id.number) == [-3, -2, -1, 0, -1, 0, -1, 0, -1, 0])
    #expect(tokens.map(\.id.grant.rawValue) == ["g", "g", "g", "g", "r", "r", "h", "h", "k", "k"])
    #expect(tokens.map(\.issuedAt.milliseconds) == [2_000, 3_000, 3_000, 3_500, 2_000, 2_500, 2_200, 3_200, 2_000, 2_900])
    #expect(tokens.map(\.sealedSuccessor) == [nil, nil, [0x77], nil, nil, nil, [0x78], nil, nil, nil])
    #expect(
      tokens.map { $0.consumedAt?.milliseconds } == [3_000, 3_500, 3_500, nil, 2_500, nil, 3_200, nil, 2_900, 3_100])
    let results = try await store.write { (tx) throws(StoreError) in
      [
        try !tx.consumeAuthorizationCode(of: GrantID(rawValue: "g"), at: Self.now),
        try !tx.consumeInteraction("i", expires: Self.now),
        try !tx.consumeRefreshToken(tokens[0].id, sealedSuccessor: [1], at: Self.now),
        try tx.consumeRefreshToken(tokens[3].id, sealedSuccessor: [1], at: Self.now),
        try !tx.consumeRefreshToken(tokens[5].id, sealedSuccessor: [1], at: Self.now),
        try tx.bindGrant(GrantID(rawValue: "g"), to: String(repeating: "k", count: 43)),
      ]
    }
    #expect(results == Array(repeating: true, count: 6))
    // The migrated tables allow a consent for a resource, and the removal of a client with its grants.
    let isGone = try await store.write { (tx) throws(StoreError) in
      try tx.remember(
        ConsentRecord(
          account: account, client: ClientID(rawValue: "web"), redirectURI: "https://web.example/cb",
          resources: ["https://api.example/"], scope: "notes", givenAt: Self.now))
      _ = try tx.remove(ClientID(rawValue: "app"), from: .command, at: .now())
      return try tx.grant(GrantID(rawValue: "g")) == nil
    }
    #expect(isGone)
    #expect(try await store.removeExpired(before: Timestamp(milliseconds: 90_000_001), limit: 100) > 0)
  }

  @Test(
    "every earlier version is migrated to the schema of a new database",
    arguments: 1..<Schema.migrations.migrations.count)
  func sameSchema(version: Int) async throws {
    // `rows` matches only the tables of the second version.
    let migrations = Array(Schema.migrations.migrations.prefix(version))
    let (store, directory) = try await self.opened(after: migrations, version == 2 ? Self.rows : "")
    defer { directory.remove() }
    let new = try SQLiteStore(path: "\(directory.path)/new.sqlite")
    let list = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY type, name"
    let old = try await store.pool.read { try String.fetchAll($0, sql: list) }
    #expect(try await new.pool.read { try String.fetchAll($0, sql: list) } == old)
    #expect(try await store.pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    #expect(try await store.pool.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").isEmpty })
  }

  @Test("logout deliveries and audit records of the sixth schema are found after the migration")
  func sixth() async throws {
    let rows = """
      INSERT INTO account VALUES ('acct-a', 'ada', '$', 0, 'Ada', NULL, 0, NULL);
      INSERT INTO client VALUES ('own', 'Own', 'public', 'native', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL,
        'authorization_code', 1, NULL, '{}', 0);
      INSERT INTO client SELECT 'dynamic', name, type, application_type, 'dynamic', scope, signing_algorithm, authentication_method,
        NULL, NULL, NULL, grant_types, 0, NULL, details, 0 FROM client;
      INSERT INTO logout_delivery VALUES ('1', 'dynamic', 'acct-a', 's', 0, 1000, 90000000);
      INSERT INTO logout_delivery VALUES ('2', 'own', 'acct-a', 's', 2, 2000, 90000000);
      INSERT INTO audit VALUES ('00000000001-a', 1, 'signed-in', NULL, 'request', NULL, NULL, 'acct-a', NULL, NULL, 's', NULL, 0);
      INSERT INTO audit VALUES ('00000000002-a', 2, 'code-replayed', NULL, 'request', NULL, NULL, 'acct-a', 'own', 'g', NULL, NULL, 0);
      INSERT INTO audit VALUES ('00000000003-a', 3, 'server-stopped', NULL, 'server', NULL, NULL, NULL, NULL, NULL, NULL, 'i', 0);
      """
    let (store, directory) = try await self.opened(after: Array(Schema.migrations.migrations.prefix(6)), rows)
    defer { directory.remove() }
    let claimed = try await store.write { (tx) throws(StoreError) in
      try [false, false, true].map { (isDynamic) throws(StoreError) in
        try tx.claimLogoutDelivery(isDynamic: isDynamic, except: [], retry: Timestamp(milliseconds: 9_000), at: Self.now)?.id
      }
    }
    #expect(claimed == ["2", nil, "1"])
    let found = try await store.read { (tx) throws(StoreError) in
      try [
        { $0.account = AccountID(rawValue: "acct-a") }, { $0.client = ClientID(rawValue: "own") },
        { $0.events = [.serverStopped, .codeReplayed] },
      ].map { (change: (inout AuditQuery) -> Void) throws(StoreError) in
        var query = AuditQuery(limit: 9)
        change(&query)
        return try tx.auditRecords(query).map(\.at.milliseconds)
      }
    }
    #expect(found == [[2, 1], [2], [3, 2]])
  }

  @Test("clients and sessions of the third schema are kept")
  func third() async throws {
    let rows = """
      INSERT INTO account VALUES ('acct-a', 'ada', '$', 0, 'Ada', NULL, 0, NULL);
      INSERT INTO client VALUES ('web', 'Web', 'public', 'native', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL,
        'authorization_code', 1, NULL, '{"contacts":["a"]}', 0);
      INSERT INTO browser_session VALUES (zeroblob(32), 'acct-a', 1000, 2000, 90000000, NULL);
      INSERT INTO consent VALUES ('acct-a', 'web', 'https://web.example/cb', 'openid', 1000);
      """
    let (store, directory) = try await self.opened(after: Self.first + ["3 protocols"], rows)
    defer { directory.remove() }
    let (client, session) = try await store.read { (tx) throws(StoreError) in
      (try tx.client(ClientID(rawValue: "web")), try tx.browserSession(Self.zero))
    }
    #expect(client?.details.contacts == ["a"] && client?.isFirstParty == true && session != nil)
  }
}
