import Logging
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SallyportDaemon

@Suite("What has ended is removed a little at a time")
struct ExpiryTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let what: String
    let removed: Int
    var passed: Duration = .zero
    let rest: Duration?
    var testDescription: String { self.what }
  }

  /// Each step takes ten milliseconds.
  private static let cases = [
    Case(what: "a whole step", removed: 20, rest: .milliseconds(40)),
    Case(what: "more than was asked for", removed: 21, rest: .milliseconds(40)),
    Case(what: "less: nothing is left", removed: 19, rest: nil),
    Case(what: "nothing at all", removed: 0, rest: nil),
    Case(what: "after ten minutes", removed: 20, passed: .seconds(600), rest: .milliseconds(40)),
    Case(what: "later than that", removed: 20, passed: .seconds(600) + .nanoseconds(1), rest: .milliseconds(10)),
    Case(what: "nothing is left, later than that", removed: 19, passed: .seconds(601), rest: nil),
  ]

  @Test("the rest after a step is four times as long as the step, and after ten minutes once as long", arguments: cases)
  func pace(_ given: Case) {
    #expect(ExpiryPace().rest(afterRemoving: given.removed, in: .milliseconds(10), passed: given.passed) == given.rest)
  }

  /// A store from which rows are removed, which takes its time on a clock that does nothing else.
  private final class Pile: Store {
    struct State {
      var left: Int
      var limits: [Int] = []
    }

    let base: any Store
    let hands: Hands
    let step: Duration
    let state: Mutex<State>

    init(of rows: Int, over base: any Store, step: Duration, _ hands: Hands) {
      (self.base, self.hands, self.step) = (base, hands, step)
      self.state = Mutex(State(left: rows))
    }

    func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
      self.hands.advance(by: self.step)
      return self.state.withLock { state in
        let removed = min(limit, state.left)
        state.left -= removed
        state.limits.append(limit)
        return removed
      }
    }

    func write<R: Sendable>(
      _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
      self.hands.advance(by: self.step)
      return try await self.base.write(body)
    }

    func read<R: Sendable>(
      _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
      try await self.base.read(body)
    }
  }

  private static func run(_ store: any Store, on hands: Hands) async throws {
    try await ExpiryService(
      store: store, auditKeep: .seconds(86_400), logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
      clock: hands
    ).run()
  }

  /// A store with so many records of the audit trail that are older than a day, and one that is not.
  private static func auditTrail(of records: Int) async throws -> TestServer {
    let fixture = try await TestServer()
    try await fixture.store.write { (tx) throws(StoreError) in
      _ = try tx.removeAuditRecords(before: fixture.clock.now + .seconds(1), limit: 1_000)
      for _ in 0..<records {
        try tx.insert(AuditRecord(.signInRefused, from: .command, at: .now() - .seconds(2 * 86_400)))
      }
      try tx.insert(AuditRecord(.signedIn, from: .command, at: .now()))
    }
    return fixture
  }

  @Test("rows that have ended go first, then old records of the audit trail, each in steps of twenty with rests between them")
  func steps() async throws {
    let (fixture, hands) = (try await Self.auditTrail(of: 45), Hands(sleeps: 6))
    let pile = Pile(of: 50, over: fixture.store, step: .milliseconds(10), hands)
    try await Self.run(pile, on: hands)
    let rest = Duration.milliseconds(40)
    #expect(hands.sleeps == [rest, rest, rest, rest, .seconds(60), .seconds(60)])
    // The last two are of the rounds that found nothing, of which the clock ended the last.
    #expect(pile.state.withLock { $0.limits } == [20, 20, 20, 20, 20])
    let left = try await fixture.store.read { (snapshot) throws(StoreError) in try snapshot.auditRecords(AuditQuery(limit: 100)) }
    #expect(left.map(\.event) == [.signedIn])
  }

  @Test("what takes more than ten minutes goes on with shorter rests; what comes after it begins with long ones again")
  func patience() async throws {
    let (fixture, hands) = (try await Self.auditTrail(of: 25), Hands(sleeps: 6))
    let pile = Pile(of: 90, over: fixture.store, step: .seconds(60), hands)
    let (long, short) = (Duration.seconds(240), Duration.seconds(60))
    // The steps end after 60, 360, 660 and 780 seconds.
    try await Self.run(pile, on: hands)
    #expect(hands.sleeps == [long, long, short, short, long, .seconds(60)])
  }

  @Test("a store that fails is tried again after the pause")
  func failure() async throws {
    let (fixture, hands) = (try await TestServer(), Hands(sleeps: 2))
    let store = FailingStore(fixture.store)
    store.fail(with: .unavailable(reason: "SQLite error 13: database or disk is full"))
    try await Self.run(store, on: hands)
    #expect(hands.sleeps == [.seconds(60), .seconds(60)])
    #expect(store.writes == 3)
  }
}
