import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var auditCases: [Case] {
    [
      Case("an audit record is stored once, with all optional values, and with none") { try await self.storesRecords($0) },
      Case("audit records are found by each condition, by several conditions, in both orders, and in pages") {
        try await self.filtersRecords($0)
      },
      Case("audit records before a time are removed, and each step respects its limit") {
        try await self.removesRecords($0)
      },
      Case("an audit record remains when its client is removed, and is not stored if its transaction fails") {
        try await self.keepsRecordsOfRemovedClients($0)
      },
      Case("the removal of an unused client adds an audit record") { try await self.recordsAbandonedClients($0) },
    ]
  }

  /// Returns an audit record whose time is `number` seconds after the start.
  private static func record(
    _ number: Int, _ event: AuditEvent = .signedIn, _ reason: AuditReason? = nil, account: String? = nil,
    client: String? = nil, from origin: AuditOrigin = .server
  ) -> AuditRecord {
    AuditRecord(
      event, reason, account: account.map(AccountID.init), client: client.map(ClientID.init), from: origin,
      at: .start + .seconds(number))
  }

  private static func insert(_ records: [AuditRecord], into store: any Store) async throws {
    try await store.write { (tx) throws(StoreError) in
      for record in records { try tx.insert(record) }
    }
  }

  private static func found(_ store: any Store, _ change: @Sendable (inout AuditQuery) -> Void = { _ in }) async throws
    -> [AuditRecord]
  {
    var query = AuditQuery(limit: 100)
    change(&query)
    let changedQuery = query
    return try await store.read { (snapshot) throws(StoreError) in try snapshot.auditRecords(changedQuery) }
  }

  private static func storesRecords(_ harness: Harness) async throws {
    let store = try await harness.open()
    let full = AuditRecord(
      .grantIssued, .consentGiven, account: AccountID(rawValue: "a"), client: ClientID(rawValue: "c"),
      grant: GrantID(rawValue: "g"), session: "s", subject: "k", more: 7, from: .request("r", from: "2001:db8::7"),
      at: .start + .milliseconds(1))
    let minimal = AuditRecord(.serverStarted, from: .server, at: .start)
    try await self.insert([full, minimal], into: store)
    try await expect(self.found(store), is: [full, minimal], "the records")
    try await self.insert([minimal], into: store)
    try await expect(self.found(store), is: [full, minimal], "the records after a write is repeated")
  }

  private static func filtersRecords(_ harness: Harness) async throws {
    let store = try await harness.open()
    let all = [
      self.record(0, account: "a", client: "c"), self.record(1, .signInRejected, .wrongPassword, account: "a"),
      self.record(2, .signInRejected, .unknownAccount, from: .request("r", from: "192.0.2.7")),
      self.record(3, .clientAdded, client: "c", from: .command), self.record(4, account: "b", client: "c"),
    ]
    try await self.insert(all.reversed(), into: store)
    try await expect(self.found(store), is: all.reversed(), "newest first")
    try await expect(self.found(store) { $0.order = .oldestFirst }, is: all, "oldest first")
    try await expect(self.found(store) { $0.limit = 2 }, is: [all[4], all[3]], "the newest two")
    let part = try await self.found(store) {
      $0.order = .oldestFirst
      $0.after = all[1].id
      $0.limit = 2
    }
    try expect(part, is: [all[2], all[3]], "the records after the second")
    try await expect(self.found(store) { $0.since = .start + .seconds(3) }, is: [all[4], all[3]], "since a time")
    try await expect(self.found(store) { $0.until = .start + .seconds(1) }, is: [all[0]], "before a time")
    try await expect(self.found(store) { $0.since = Timestamp(seconds: 5) }, is: all.reversed(), "since an early time")
    try await expect(self.found(store) { $0.account = AccountID(rawValue: "a") }, is: [all[1], all[0]], "of an account")
    try await expect(self.found(store) { $0.client = ClientID(rawValue: "c") }, is: [all[4], all[3], all[0]], "of a client")
    try await expect(
      self.found(store) { $0.events = [.signInRejected, .clientAdded] }, is: [all[3], all[2], all[1]], "records of two events")
    try await expect(
      self.found(store) { ($0.events, $0.order, $0.limit) = ([.signInRejected, .clientAdded], .oldestFirst, 2) },
      is: [all[1], all[2]],
      "the first two records of two events")
    // `signedIn` is frequent, so the stores' index of events does not contain it.
    try await expect(
      self.found(store) { $0.events = [.signInRejected, .signedIn] }, is: [all[4], all[2], all[1], all[0]],
      "records of two events, one of them frequent")
    try await expect(self.found(store) { $0.events = [.signInRejected] }, is: [all[2], all[1]], "of one event")
    try await expect(
      self.found(store) { ($0.client, $0.events) = (ClientID(rawValue: "c"), [.clientAdded]) }, is: [all[3]],
      "of a client and an event")
    try await expect(self.found(store) { $0.requestID = "r" }, is: [all[2]], "of a request")
    try await expect(self.found(store) { $0.address = "192.0.2.7" }, is: [all[2]], "from an address")
    let severalConditions = try await self.found(store) {
      $0.account = AccountID(rawValue: "a")
      $0.client = ClientID(rawValue: "c")
      $0.events = [.signedIn]
    }
    try expect(severalConditions, is: [all[0]], "of an account, a client, and an event")
  }

  private static func removesRecords(_ harness: Harness) async throws {
    let store = try await harness.open()
    let all = (0..<10).map { self.record($0) }
    try await self.insert(all, into: store)
    let counts = try await store.write { (tx) throws(StoreError) in
      try (0..<3).map { (_) throws(StoreError) in try tx.removeAuditRecords(before: .start + .seconds(7), limit: 5) }
    }
    try expect(counts, is: [5, 2, 0], "rows removed by each step")
    try await expect(self.found(store) { $0.order = .oldestFirst }, is: Array(all[7...]), "the remaining records")
  }

  private static func keepsRecordsOfRemovedClients(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let record = self.record(0, .clientAdded, account: "account", client: "client")
    try await self.insert([record], into: store)
    let discarded = self.record(1, .clientRemoved, client: "client")
    try await expectError(.rolledBack, "the transaction") {
      try await store.write { (tx) throws(StoreError) in
        try tx.insert(discarded)
        throw .rolledBack
      }
    }
    let removal = self.record(2, .clientRemoved, client: "client")
    _ = try await store.write { (tx) throws(StoreError) in
      try tx.removeClient(ClientID(rawValue: "client"), tx.record(removal))
    }
    // The removal of expired data does not remove audit records, which have a time limit of their own.
    _ = try await store.removeExpired(before: .start + .seconds(900_000), limit: 1_000)
    try await expect(self.found(store), is: [removal, record], "the remaining records")
  }

  private static func recordsAbandonedClients(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let now = Timestamp.start + .seconds(100)
    try await store.write { (tx) throws(StoreError) in
      try tx.put(ClientLeaseRecord(client: ClientID(rawValue: "client"), lastUsedAt: .start, expiresAt: .start))
    }
    try await expect(store.removeExpired(before: now, limit: 10), is: 1, "rows removed")
    let record = try await self.found(store).first
    try expect(record?.event, is: .clientRemoved, "the record's event")
    try expect(record?.reason, is: .unused, "its reason")
    try expect(record?.client?.rawValue, is: "client", "its client")
    // `sallyportd audit --follow` reads only recent records, so it would miss a record with an earlier time.
    let age = record.map { Timestamp.now() - $0.at }
    try expect(age.map { $0 > .seconds(-60) && $0 < .seconds(60) }, is: true, "whether the record has the current time")
  }
}
