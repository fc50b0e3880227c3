import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import TestSupport
import Testing

@testable import SallyportPostgres

@Suite("Round trips to PostgreSQL", .serialized, .timeLimit(.minutes(2)))
struct RoundTripTests {
  @Test("a transaction that reads once, decides, and writes takes two round trips")
  func takesTwoRoundTrips() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.single)
    try await Self.prepare(store)
    try await expectRoundTrips(2, of: store) {
      let isRotated = try await store.write { (tx) throws(StoreError) in
        guard try tx.grant(.example) != nil else { return false }
        try tx.insert(AuditRecord(.grantIssued, from: .server, at: .example))
        try tx.insert(RefreshTokenRecord.example(1))
        let isFirst = try tx.consumeRefreshToken(RefreshTokenRecord.example(1).id, sealedSuccessor: [1], at: .example)
        try tx.insert(RefreshTokenRecord.example(2))
        return isFirst
      }
      #expect(isRotated)
    }
  }

  @Test("a read takes one round trip, and two reads of one snapshot take two")
  func readsInFewRoundTrips() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.single)
    try await Self.prepare(store)
    try await expectRoundTrips(1, of: store) {
      _ = try await store.read { (snapshot) throws(StoreError) in try snapshot.client(ClientID(rawValue: "client")) }
    }
    try await expectRoundTrips(2, of: store) {
      _ = try await store.read { (snapshot) throws(StoreError) in
        (try snapshot.grant(.example), try snapshot.accounts(after: nil, limit: 1_000))
      }
    }
  }

  @Test("a new connection is set up in one round trip after it was opened")
  func setsUpInOneRoundTrip() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await Self.prepare(database.open())
    let network = try SlowNetwork(database.cluster, delay: 0.05)
    let store = try database.open(.single, over: network)
    try await store.connect()
    // PostgreSQL trusts the users of these tests, so opening a connection takes one message. The second message sets
    // the connection up.
    #expect(network.messages == 2)
    _ = try await store.read { (snapshot) throws(StoreError) in try snapshot.client(ClientID(rawValue: "client")) }
    #expect(network.messages == 3)
  }

  @Test("an authorization request with a remembered consent takes two round trips")
  func authorizesInTwoRoundTrips() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.single)
    try await Self.prepare(store)
    let (fingerprint, client, uri) = (
      Fingerprint(bytes: Array(repeating: 9, count: 32)), ClientID(rawValue: "client"), "https://example.com/cb"
    )
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(
        BrowserSessionRecord(
          fingerprint: fingerprint, id: "session", account: AccountID(rawValue: "account"), authenticatedAt: .example,
          authenticationMethods: ["pwd"], lastSeenAt: .example, expiresAt: .example + .seconds(60)))
      try tx.remember(
        ConsentRecord(
          account: AccountID(rawValue: "account"), client: client, redirectURI: uri, resources: [], scope: "openid",
          givenAt: .example))
    }
    try await expectRoundTrips(2, of: store) {
      let found = try await store.read { (snapshot) throws(StoreError) in
        try snapshot.browserSession(fingerprint, withConsentsFor: client, redirectURI: uri)
      }
      let consent = try #require(found?.consents.first)
      let isConfirmed = try await store.write { (tx) throws(StoreError) in
        guard try tx.confirmBrowserSession(fingerprint, at: .example, seenAfter: .example - .seconds(1)),
          try tx.confirm(consent)
        else { return false }
        try tx.issue(
          GrantRecord(
            id: .numbered(7), client: client, account: consent.account, scope: "openid", sessionID: "session",
            authenticatedAt: .example, createdAt: .example, expiresAt: .example + .seconds(60)), .consentRemembered,
          from: .server, at: .example)
        return true
      }
      #expect(isConfirmed)
    }
  }

  @Test("a transaction that consumes one interaction twice gets true and false, although the store first assumes two successes")
  func correctsAssumptions() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.single)
    let results = try await store.write { (tx) throws(StoreError) in
      (
        try tx.consumeInteraction("interaction", expires: .example), try tx.consumeInteraction("interaction", expires: .example)
      )
    }
    #expect(results == (true, false))
  }

  @Test("if data changes between two statements of a read, the body runs again and sees one snapshot")
  func repeatsChangedReads() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open(.single)
    try await Self.prepare(store)
    // When the body runs for the first time, another connection deletes the client between the two statements.
    let runs = Counter()
    let (first, second) = try await store.read { (snapshot) throws(StoreError) in
      let first = try snapshot.clients().count
      if runs.increment() == 1 {
        do { try database.query("DELETE FROM sallyport.client") } catch { throw .unavailable(reason: "\(error)") }
      }
      return (first, try snapshot.countClients(.dynamic))
    }
    #expect(first == second)
    #expect(runs.value == 2)
  }

  private static func prepare(_ store: PostgresStore) async throws {
    let account = try AccountRecord.example
    let client = try ClientRecord.example
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(account)
      try tx.insert(client)
      try tx.insert(
        GrantRecord(
          id: .example, client: client.id, account: account.id, scope: "openid", authenticatedAt: .example,
          createdAt: .example, expiresAt: .example + .seconds(86_400)))
    }
  }

  /// Expects that `body` causes a number of round trips.
  private func expectRoundTrips(
    _ count: Int, of store: PostgresStore, _ body: () async throws -> Void, location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = store.statistics.roundTrips
    try await body()
    #expect(store.statistics.roundTrips - before == count, sourceLocation: location)
  }
}
