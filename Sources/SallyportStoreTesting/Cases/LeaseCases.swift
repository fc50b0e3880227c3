import SallyportProtocol
import SallyportServer

/// Cases about the leases of clients that no operator registered (``ClientLeaseRecord``): a client without grants is
/// removed when its lease expires. Other cases are about the limits on registrations: the number of clients, and the
/// uses of initial access tokens.
extension StoreConformance {
  static var leaseCases: [Case] {
    [
      Case("a client's lease is stored and renewed") { try await self.renewsLeases($0) },
      Case("clients are counted by origin") { try await self.countsClientsByOrigin($0) },
      Case("a dynamic client without grants is removed when its lease expires; an operator's client is not") {
        try await self.removesAbandonedClients($0)
      },
      Case("clients that have never obtained a grant are listed in the order in which their leases expire") {
        try await self.listsClientsWithoutGrant($0)
      },
      Case("RFC 7591: concurrent callers cannot exceed the number of uses of an initial access token") {
        try await self.usesInitialAccessTokens($0)
      },
    ]
  }

  private static var id: ClientID { ClientID(rawValue: "client") }

  private static func renewsLeases(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let found = try await store.write { (tx) throws(StoreError) in
      try check(tx.clientLease(Self.id) == nil, "a client must have no lease before one is stored")
      try tx.put(ClientLeaseRecord(client: Self.id, lastUsedAt: .start, expiresAt: .start + .seconds(60)))
      let first = try tx.clientLease(Self.id)
      try tx.put(ClientLeaseRecord(client: Self.id, lastUsedAt: .start + .seconds(30)))
      return [first, try tx.clientLease(Self.id)]
    }
    let expected = [
      ClientLeaseRecord(client: Self.id, lastUsedAt: .start, expiresAt: .start + .seconds(60)),
      ClientLeaseRecord(client: Self.id, lastUsedAt: .start + .seconds(30)),
    ]
    try expect(found, is: expected, "the leases")
    try await expectError(.conflict, "a lease of an unknown client") {
      try await store.write { (tx) throws(StoreError) in
        try tx.put(ClientLeaseRecord(client: ClientID(rawValue: "nobody"), lastUsedAt: .start))
      }
    }
  }

  private static func countsClientsByOrigin(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    // The store already contains the dynamic client "client".
    let counts = try await store.write { (tx) throws(StoreError) in
      for (id, origin) in [("a", .operator), ("b", .operator), ("c", .document)] as [(String, ClientRecord.Origin)] {
        var client = try ClientRecord.example(id)
        client.origin = origin
        try tx.insert(client)
      }
      return [try tx.countClients(.operator), try tx.countClients(.dynamic), try tx.countClients(.document)]
    }
    try expect(counts, is: [2, 1, 1], "operators' clients, dynamic clients, and clients with a metadata document")
  }

  private static func removesAbandonedClients(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in
      for (id, origin, seconds) in [
        ("abandoned", .dynamic, 0), ("kept", .operator, 0), ("leased", .document, 10),
      ] as [(String, ClientRecord.Origin, Int64)] {
        var client = try ClientRecord.example(id)
        client.origin = origin
        try tx.insert(client)
        try tx.put(ClientLeaseRecord(client: client.id, lastUsedAt: .start, expiresAt: .start + .seconds(seconds)))
      }
      try tx.put(ClientLeaseRecord(client: Self.id, lastUsedAt: .start, expiresAt: .start))
    }
    try await expect(store.removeExpired(before: .start + .seconds(10), limit: 10), is: 1, "clients removed")
    let remaining = try await store.read { (snapshot) throws(StoreError) in try snapshot.clients().map(\.id.rawValue) }
    try expect(Set(remaining), is: ["client", "kept", "leased"], "the remaining clients")
  }

  private static func listsClientsWithoutGrant(_ harness: Harness) async throws {
    // "client" has a grant. The `lastUsedAt` of the lease of "granted" is after the creation of "granted", which means
    // that "granted" had a grant before. Neither may be listed. Clients without a lease, or with a lease that does not
    // expire, are not listed either.
    let store = try await harness.openWithGrant()
    let listed = try await store.write { (tx) throws(StoreError) -> [[String]] in
      try tx.put(ClientLeaseRecord(client: Self.id, lastUsedAt: .start, expiresAt: .start))
      let clients: [(String, ClientRecord.Origin, created: Int64, used: Int64)] = [
        ("young", .dynamic, 30, 30), ("old", .dynamic, 10, 10), ("granted", .dynamic, 0, 1), ("document", .document, 5, 5),
        ("operator", .operator, 0, 0),
      ]
      for (id, origin, created, used) in clients {
        var client = try ClientRecord.example(id, origin: origin)
        client.createdAt = .start + .seconds(created)
        try tx.insert(client)
        try tx.put(
          ClientLeaseRecord(client: client.id, lastUsedAt: .start + .seconds(used), expiresAt: .start + .seconds(used + 60)))
      }
      var withoutLease = try ClientRecord.example("withoutLease")
      withoutLease.createdAt = .start
      try tx.insert(withoutLease)
      try tx.insert(ClientRecord.example("endless"))
      try tx.put(ClientLeaseRecord(client: ClientID(rawValue: "endless"), lastUsedAt: .start))
      return [
        try tx.clientsWithoutGrant(.dynamic, limit: 9), try tx.clientsWithoutGrant(.dynamic, limit: 1),
        try tx.clientsWithoutGrant(.document, limit: 9),
      ].map { $0.map(\.rawValue) }
    }
    try expect(listed, is: [["old", "young"], ["old"], ["document"]], "clients without a grant")
  }

  private static func usesInitialAccessTokens(_ harness: Harness) async throws {
    let store = try await harness.open()
    let token = InitialAccessTokenRecord(
      fingerprint: .example(1), label: "for the partners", createdAt: .start, expiresAt: .start + .seconds(60), remainingUses: 3)
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(token)
      try check(!tx.useInitialAccessToken(.example(1), at: .start + .seconds(60)), "an expired token must not be used")
      try check(!tx.useInitialAccessToken(.example(2), at: .start), "an unknown token must not be used")
    }
    let uses = try await concurrentSuccesses(of: 20) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.useInitialAccessToken(.example(1), at: .start) }
    }
    try expect(uses, is: 3, "callers that used the token")
    var used = token
    used.remainingUses = 0
    let listed = try await store.write { (tx) throws(StoreError) in
      let listed = try tx.initialAccessTokens()
      try check(tx.removeInitialAccessToken(.example(1), tx.recordExample()), "removing a token must return true")
      try check(!tx.removeInitialAccessToken(.example(1), tx.recordExample()), "removing a token again must return false")
      return listed
    }
    try expect(listed, is: [used], "the tokens")
  }
}
