import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportPostgres

@Suite("Concurrent use of PostgreSQL by two servers", .serialized, .timeLimit(.minutes(3)))
struct ConcurrencyTests {
  @Test("refreshes of different grants over two servers all succeed, and each grant has one valid token")
  func rotatesManyGrants() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let stores = [try database.open(), try database.open()]
    try await stores[0].prepareExample(grants: 16)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          for round in 1...20 {
            let isRotated = try await stores[round % 2].write { (tx) throws(StoreError) in try tx.rotate(Int64(round), of: number)
            }
            #expect(isRotated)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try database.query("SELECT count(*) FROM sallyport.refresh_token WHERE consumed_at IS NULL") == "16")
    #expect(try database.query("SELECT count(*) FROM sallyport.refresh_token") == "\(16 * 21)")
  }

  @Test("transactions that lock rows in opposite orders are repeated until both are committed")
  func resolvesDeadlocks() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let stores = [try database.open(), try database.open()]
    try await stores[0].prepareExample(grants: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, order) in [[0, 1], [1, 0]].enumerated() {
        group.addTask {
          for round in 1...30 {
            try await stores[index].write { (tx) throws(StoreError) in
              for number in order {
                guard let grant = try tx.grant(.numbered(number)) else { throw .rolledBack }
                _ = try tx.isInteractionConsumed("\(number)")
                let record = AuditRecord(.tokenRevoked, grant: grant.id, from: .server, at: .example + .seconds(Int64(round)))
                try tx.insert(record)
                // Until the commit, this locks the row that counts the attempts.
                _ = try tx.countAttempt(Fingerprint(of: Secret("\(number)")), window: .seconds(60), at: .example)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = try await stores[0].read { (snapshot) throws(StoreError) in
      [
        try snapshot.attempts(Fingerprint(of: Secret("0")), at: .example),
        try snapshot.attempts(Fingerprint(of: Secret("1")), at: .example),
      ]
    }
    #expect(counts == [60, 60])
  }

  @Test("a decision is not based on data that another server changes at the same time")
  func preventsWriteSkew() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let stores = [try database.open(), try database.open()]
    // Each body consumes its own interaction only if the interaction of the other body is not consumed.
    for round in 0..<20 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0...1 {
          group.addTask {
            _ = try await stores[index].write { (tx) throws(StoreError) in
              guard try !tx.isInteractionConsumed("\(round)-\(1 - index)") else { return }
              _ = try tx.consumeInteraction("\(round)-\(index)", expires: .example)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(try database.query("SELECT count(*) FROM sallyport.consumed_interaction") == "20")
  }

  @Test("a violation that is detected only at the commit is reported as a conflict")
  func reportsConflictAtCommit() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await store.prepareExample(grants: 1)
    let device = Fingerprint(of: Secret("device"))
    // The foreign key to the grant is checked at the commit.
    await #expect(throws: StoreError.conflict) {
      try await store.write { (tx) throws(StoreError) in
        try tx.insert(
          DeviceAuthorizationRecord(
            fingerprint: device, userCode: device, client: ClientID(rawValue: "client"), scope: "openid", interval: 5,
            createdAt: .example, expiresAt: .example + .seconds(60)))
        let decision = DeviceAuthorizationRecord.Decision.allowed(
          account: AccountID(rawValue: "account"), authenticatedAt: .example, sessionID: nil, methods: ["pwd"])
        _ = try tx.decide(decision, onDevice: device, at: .example)
        _ = try tx.consumeDeviceAuthorization(device, as: GrantID(rawValue: "absent"), at: .example)
      }
    }
  }
}
