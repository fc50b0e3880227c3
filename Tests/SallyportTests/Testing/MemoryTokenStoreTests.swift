import Sallyport
import SallyportProtocol
import SallyportTesting
import TestSupport
import Testing

/// Tests `MemoryTokenStore`, which apps and this package use in tests.
@Suite("A token store in memory", .timeLimit(.minutes(1)))
struct MemoryTokenStoreTests {
  private let store = MemoryTokenStore()
  private static let key = TokenStoreKey(kind: "grant", issuer: "https://id.example", clientID: "app")

  @Test("a saved value can be loaded and removed, and a copy of the store does not change with the store")
  func values() async throws {
    #expect(try await self.store.load(Self.key) == nil)
    try await self.store.save(Secret([1]), for: Self.key)
    let copy = self.store.copy()
    try await self.store.remove(Self.key)
    #expect(try await self.store.load(Self.key) == nil)
    #expect(try await copy.load(Self.key)?.reveal() == [1])
  }

  @Test("the errors that a test sets are thrown until it removes them")
  func errors() async throws {
    self.store.saveError = .failed(reason: "full")
    await #expect(throws: TokenStoreError.failed(reason: "full")) { try await self.store.save(Secret([1]), for: Self.key) }
    self.store.saveError = nil
    self.store.loadError = .damaged(reason: "bad")
    await #expect(throws: TokenStoreError.damaged(reason: "bad")) { try await self.store.load(Self.key) }
    self.store.loadError = nil
    #expect(try await self.store.load(Self.key) == nil)
  }

  @Test("only one task at a time holds a lease")
  func exclusion() async throws {
    let holders = LeaseCounter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { [store] in
          try await store.withLease(on: Self.key) {
            await holders.enter()
            for _ in 0..<5 { await Task.yield() }
            await holders.leave()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await holders.maximum == 1)
    #expect(self.store.heldLeases.isEmpty)
  }

  @Test("a canceled task stops waiting for a lease, and another task can get the lease afterward")
  func cancellation() async throws {
    let (held, release) = (Gate(), Gate())
    let first = Task {
      try await self.store.withLease(on: Self.key) {
        held.open()
        await release.wait()
      }
    }
    await held.wait()
    let second = Task { try await self.store.withLease(on: Self.key) { Issue.record("must not run") } }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    release.open()
    try await first.value
    try await self.store.withLease(on: Self.key) {}
    #expect(self.store.heldLeases.isEmpty)
  }
}

/// Counts the tasks that hold a lease at the same time.
private actor LeaseCounter {
  private var current = 0
  private(set) var maximum = 0

  func enter() {
    self.current += 1
    self.maximum = max(self.maximum, self.current)
  }

  func leave() { self.current -= 1 }
}
