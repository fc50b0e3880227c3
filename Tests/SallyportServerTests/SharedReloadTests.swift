import TestSupport
import Testing

@testable import SallyportServer

@Suite("Shared reloads")
struct SharedReloadTests {
  @Test("a caller that arrives during a read gets the result of a later read")
  func laterRead() async throws {
    let reload = SharedReload<StoreError>(interval: .milliseconds(1))
    let reads = Counter()
    let (firstReadBegan, firstReadMayEnd) = (Gate(), Gate())
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await reload.run { () throws(StoreError) in
          reads.increment()
          firstReadBegan.open()
          await firstReadMayEnd.wait()
        }
      }
      await firstReadBegan.wait()
      group.addTask { try await reload.run { () throws(StoreError) in reads.increment() } }
      firstReadMayEnd.open()
      try await group.waitForAll()
    }
    #expect(reads.value == 2)
  }

  @Test("the deadline of the first caller does not limit the shared read")
  func time() async throws {
    let reload = SharedReload<StoreError>(interval: .milliseconds(1))
    let limitedReads = Counter()
    try await StoreTime.$current.withValue(StoreTime(.zero)) {
      try await reload.run { () throws(StoreError) in if StoreTime.current != nil { limitedReads.increment() } }
    }
    #expect(limitedReads.value == 0)
  }
}
