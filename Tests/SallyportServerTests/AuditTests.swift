import SallyportProtocol
import SallyportSQLite
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Audit records of changes")
struct AuditTests {
  private func trail(_ fixture: TestServer) async throws -> [AuditRecord] {
    var query = AuditQuery(limit: 1_000)
    query.order = .oldestFirst
    let finalQuery = query
    return try await fixture.store.read { (snapshot) throws(StoreError) in try snapshot.auditRecords(finalQuery) }
  }

  @Test("adding and disabling an account and changing its password are recorded once each; failed attempts are not")
  func accounts() async throws {
    let fixture = try await TestServer()
    let (accounts, before) = (fixture.server.accounts, try await self.trail(fixture).count)
    let eve = try await accounts.add(username: "eve", password: Secret(TestServer.password))
    await #expect(throws: AccountError.usernameTaken) {
      try await accounts.add(username: "eve", password: Secret(TestServer.password))
    }
    fixture.clock.advance(by: .seconds(1))
    try await accounts.setPassword(Secret(TestServer.otherPassword), of: "eve")
    fixture.clock.advance(by: .seconds(1))
    try await accounts.disable("eve")
    await #expect(throws: AccountError.notFound) { try await accounts.disable("nobody") }
    let trail = try await self.trail(fixture).dropFirst(before)
    #expect(trail.map(\.event) == [.accountAdded, .passwordChanged, .accountDisabled])
    #expect(trail.allSatisfy { $0.account == eve.id && $0.origin == .command && $0.reason == nil })
  }

  @Test("the addition and the retirement of a key are recorded with its kid, and in a rotation also with the reason")
  func keys() async throws {
    let fixture = try await TestServer()
    let management = KeyManagement(store: fixture.store, masterKey: fixture.masterKey, now: fixture.clock.source)
    let old = try await management.list().map(\.id)
    for (immediately, reason) in [(false, AuditReason.rotation), (true, .immediately)] {
      fixture.clock.advance(by: .seconds(1))
      let before = Set(try await self.trail(fixture).map(\.id))
      let new = try await management.rotate(immediately: immediately).map(\.id)
      let trail = try await self.trail(fixture).filter { !before.contains($0.id) }
      #expect(trail.allSatisfy { $0.reason == reason && $0.origin == .command })
      #expect(Set(trail.filter { $0.event == .keyAdded }.compactMap(\.subject)) == Set(new))
      #expect(Set(trail.filter { $0.event == .keyRetired }.compactMap(\.subject)).isSuperset(of: old))
    }
    try await fixture.retireKeys()
    fixture.clock.advance(by: .seconds(1))
    try await management.ensureKeys()
    try await management.ensureKeys()
    let added = try await self.trail(fixture).suffix(2)
    #expect(added.allSatisfy { $0.event == .keyAdded && $0.origin == .server && $0.reason == nil })
    #expect(Set(added.compactMap(\.subject)) == Set(try await management.list().map(\.id)))
  }

  @Test("a failed change leaves no record, and a change whose record cannot be stored is not made")
  func atomicity() async throws {
    let fixture = try await TestServer()
    let (client, now) = (try TestClient.loopback.record, fixture.clock.now)
    let before = try await self.trail(fixture).count
    // The store already contains this client.
    await #expect(throws: StoreError.conflict) {
      try await fixture.store.write { (tx) throws(StoreError) in try tx.add(client, from: .command, at: now) }
    }
    #expect(try await self.trail(fixture).count == before)
    // The store rejects a record with such a short identifier.
    let record = AuditRecord(.clientRemoved, client: client.id, from: .command, at: now, id: "short")
    await #expect(throws: StoreError.self) {
      try await fixture.store.write { (tx) throws(StoreError) in
        _ = try tx.remove(client.id, from: .command, at: now)
        try tx.insert(record)
      }
    }
    #expect(try await fixture.store.read { (tx) throws(StoreError) in try tx.client(client.id) } != nil)
    #expect(try await self.trail(fixture).count == before)
  }

  @Test("records of rejected attempts wait while the store is unavailable, and are written when the server stops")
  func brokenStore() async throws {
    let fixture = try await TestServer()
    let store = FailingStore(fixture.store)
    let rejections = AuditRejections(store: store, now: fixture.clock.source)
    store.fail(with: .unavailable(reason: "full"))
    for _ in 0..<11 { rejections.note(.signInRejected, .unknownAccount, from: .server) }
    await #expect(throws: StoreError.self) { try await rejections.flush() }
    store.fail(with: nil)
    let before = try await self.trail(fixture).count
    let run = Task { await rejections.run(pause: .seconds(3_600)) { error in Issue.record("\(error)") } }
    run.cancel()
    await run.value
    let trail = try await self.trail(fixture).dropFirst(before)
    // Ten attempts have a record each. An eleventh record only counts the remaining attempt.
    #expect(trail.count == 11)
    #expect(trail.count { $0.more == 1 } == 1)
  }

  @Test("records whose outcome is unknown are written once, and do not keep later records from being written")
  func lostOutcome() async throws {
    let fixture = try await TestServer()
    let store = FailingStore(fixture.store)
    let rejections = AuditRejections(store: store, now: fixture.clock.source)
    let before = try await self.trail(fixture).count
    rejections.note(.signInRejected, .unknownAccount, from: .server)
    store.loseOutcomeOfNextWrite()
    await #expect(throws: StoreError.outcomeUnknown(reason: "the response was lost")) { try await rejections.flush() }
    rejections.note(.signInRejected, .wrongPassword, from: .server)
    try await rejections.flush()
    #expect(try await self.trail(fixture).dropFirst(before).map(\.reason) == [.unknownAccount, .wrongPassword])
  }

  @Test("identifiers sort by time, starting in 1970")
  func identifiers() {
    let times = [0, 1, 1_000_000_000, 1_799_999_999, 1_800_000_000].map { Timestamp(seconds: $0) }
    let identifiers = times.map { OrderedID.random(at: $0) }
    #expect(identifiers == identifiers.sorted())
    for (time, identifier) in zip(times, identifiers) {
      #expect(AuditRecord.lowerBound(time) < identifier)
      #expect(identifier < AuditRecord.lowerBound(time + .milliseconds(1)))
    }
    #expect(AuditRecord.lowerBound(Timestamp(milliseconds: -1)) <= identifiers[0])
    #expect(AuditRecord.lowerBound(Timestamp(milliseconds: 0x1_9A0_BCDE_F12)) == "19a0bcdef12")
    #expect(AuditRecord.lowerBound(Timestamp(milliseconds: 0xAB)) == "000000000ab")
    #expect(AuditRecord.lowerBound(Timestamp(milliseconds: .max)) == "7fffffffffffffff")
  }
}
