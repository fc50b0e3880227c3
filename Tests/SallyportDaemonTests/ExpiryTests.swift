import Logging
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SallyportDaemon

@Suite("Expired rows are removed in small steps")
struct ExpiryTests {
  /// A step of the removal of expired rows, and the expected pause after it.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let removed: Int
    /// The time since the first step began.
    var elapsed: Duration = .zero
    /// `nil` if there is no pause, because no expired rows are left.
    let pause: Duration?
    var testDescription: String { self.name }
  }

  /// Each step takes ten milliseconds and asks the store to remove up to 20 rows. If the store removes fewer rows, no
  /// rows are left, so there is no pause. If the store removes more than 20 rows, there is a pause too.
  private static let cases = [
    Case(name: "20 rows", removed: 20, pause: .milliseconds(40)),
    Case(name: "21 rows", removed: 21, pause: .milliseconds(40)),
    Case(name: "19 rows", removed: 19, pause: nil),
    Case(name: "no rows", removed: 0, pause: nil),
    Case(name: "20 rows after ten minutes", removed: 20, elapsed: .seconds(600), pause: .milliseconds(40)),
    Case(
      name: "20 rows after more than ten minutes", removed: 20, elapsed: .seconds(600) + .nanoseconds(1), pause: .milliseconds(10)
    ),
    Case(name: "19 rows after more than ten minutes", removed: 19, elapsed: .seconds(601), pause: nil),
  ]

  @Test("a pause is four times as long as the step before it; after ten minutes, it is as long as the step", arguments: cases)
  func pace(_ given: Case) {
    #expect(ExpiryPace().pause(afterRemoving: given.removed, in: .milliseconds(10), elapsed: given.elapsed) == given.pause)
  }

  /// A store with expired rows. Each removal and each write advances the clock by `step`, the duration of a step.
  private final class StoreWithExpiredRows: Store {
    struct State {
      var left: Int
      var limits: [Int] = []
      /// The shortest time, over all steps, for which a row must have been expired to be removed.
      var shortestAge: Duration?
    }

    let base: any Store
    let clock: ManualClock
    let step: Duration
    let state: Mutex<State>

    init(of rows: Int, over base: any Store, step: Duration, _ clock: ManualClock) {
      (self.base, self.clock, self.step) = (base, clock, step)
      self.state = Mutex(State(left: rows))
    }

    func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
      self.clock.advance(by: self.step)
      return self.state.withLock { state in
        let removed = min(limit, state.left)
        state.left -= removed
        state.limits.append(limit)
        let age = Timestamp.now() - now
        state.shortestAge = min(state.shortestAge ?? age, age)
        return removed
      }
    }

    func write<R: Sendable>(
      _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
      self.clock.advance(by: self.step)
      return try await self.base.write(body)
    }

    func read<R: Sendable>(
      _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
      try await self.base.read(body)
    }
  }

  private static func run(_ store: any Store, on clock: ManualClock) async throws {
    try await ExpiryService(
      store: store, auditRetention: .seconds(86_400), logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
      clock: clock
    ).run()
  }

  /// Creates a server with audit records that are older than a day, and one newer record.
  /// - Parameter records: The number of old records.
  private static func auditTrail(of records: Int) async throws -> TestServer {
    let fixture = try await TestServer()
    try await fixture.store.write { (tx) throws(StoreError) in
      // Removes the records about the users that `TestServer` adds.
      _ = try tx.removeAuditRecords(before: fixture.clock.now + .seconds(1), limit: 1_000)
      for _ in 0..<records {
        try tx.insert(AuditRecord(.signInRejected, from: .command, at: .now() - .seconds(2 * 86_400)))
      }
      try tx.insert(AuditRecord(.signedIn, from: .command, at: .now()))
    }
    return fixture
  }

  @Test("expired rows are removed first, then old audit records, each in steps of 20 with pauses between them")
  func steps() async throws {
    let (fixture, clock) = (try await Self.auditTrail(of: 45), ManualClock(sleeps: 6))
    let store = StoreWithExpiredRows(of: 50, over: fixture.store, step: .milliseconds(10), clock)
    try await Self.run(store, on: clock)
    let pause = Duration.milliseconds(40)
    #expect(clock.sleeps == [pause, pause, pause, pause, .seconds(60), .seconds(60)])
    // The two pauses of 60 seconds follow the first and the second round. The second and the third round find nothing
    // to remove. After the third round, the clock throws `CancellationError`.
    #expect(store.state.withLock { $0.limits } == [20, 20, 20, 20, 20])
    // The clock of another server may be behind by up to five minutes, so expired rows are kept for this time.
    #expect(try #require(store.state.withLock { $0.shortestAge }) >= .seconds(300))
    let left = try await fixture.store.read { (snapshot) throws(StoreError) in try snapshot.auditRecords(AuditQuery(limit: 100)) }
    #expect(left.map(\.event) == [.signedIn])
  }

  @Test("after ten minutes of removing expired rows, the pauses are shorter; between removals of audit records, they are long")
  func fullPauseLimit() async throws {
    let (fixture, clock) = (try await Self.auditTrail(of: 25), ManualClock(sleeps: 6))
    let store = StoreWithExpiredRows(of: 90, over: fixture.store, step: .seconds(60), clock)
    let (long, short) = (Duration.seconds(240), Duration.seconds(60))
    // The steps that remove expired rows end after 60, 360, 660, 780, and 900 seconds.
    try await Self.run(store, on: clock)
    #expect(clock.sleeps == [long, long, short, short, long, .seconds(60)])
  }

  @Test("after a storage error, the removal is retried after the usual pause of 60 seconds")
  func failure() async throws {
    let (fixture, clock) = (try await TestServer(), ManualClock(sleeps: 2))
    let store = FailingStore(fixture.store)
    store.fail(with: .unavailable(reason: "SQLite error 13: database or disk is full"))
    try await Self.run(store, on: clock)
    #expect(clock.sleeps == [.seconds(60), .seconds(60)])
    #expect(store.writes == 3)
  }
}
