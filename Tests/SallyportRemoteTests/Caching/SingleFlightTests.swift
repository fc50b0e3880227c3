import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("Single flight", .timeLimit(.minutes(1)))
struct SingleFlightTests {
  private let flight = SingleFlight<String, Int>()
  private let gate = Gate()

  @Test("concurrent callers share one operation per key")
  func sharing() async {
    let runs = Mutex(0)
    let operation: @Sendable () async -> Int = { [gate] in
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      await gate.wait()
      return run
    }
    let first = self.flight.start("a", operation)
    let second = self.flight.start("a", operation)
    let other = self.flight.start("b", operation)
    #expect(self.flight.task(for: "a") == first)
    #expect(first == second && first != other)
    self.gate.open()
    let values = await [first.value, second.value]
    #expect(values[0] == values[1])
    _ = await other.value
    #expect(runs.withLock { $0 } == 2)
  }

  @Test("a caller that arrives after an operation has ended starts a new operation")
  func restart() async {
    #expect(await self.flight.start("a") { 1 }.value == 1)
    #expect(self.flight.task(for: "a") == nil)
    #expect(await self.flight.start("a") { 2 }.value == 2)
  }

  @Test("a canceled caller returns early, and the operation continues for the others")
  func cancellation() async {
    let operation: @Sendable () async -> Int = { [gate] in
      await gate.wait()
      return 7
    }
    let task = self.flight.start("a", operation)
    let canceledCaller = Task { [flight] in await flight.valueUnlessCanceled(for: "a", operation) }
    canceledCaller.cancel()
    #expect(await canceledCaller.value == nil)
    self.gate.open()
    #expect(await task.value == 7)
    #expect(await self.flight.valueUnlessCanceled(for: "a") { 8 } == 8)
  }

  @Test("a caller that waits only for some time returns early, and the operation continues")
  func limitedWait() async {
    let task = self.flight.start("a") { [gate] in
      await gate.wait()
      return 7
    }
    #expect(await task.value(within: .milliseconds(1)) == nil)
    self.gate.open()
    #expect(await task.value(within: .seconds(3600)) == 7)
  }

  @Test("a caller that is already canceled starts no operation")
  func canceledBefore() async {
    let caller = Task { [flight, gate] in
      // No one opens the gate: the wait ends when the task is canceled.
      await gate.wait()
      return await flight.valueUnlessCanceled(for: "a") { 1 }
    }
    caller.cancel()
    #expect(await caller.value == nil)
    #expect(self.flight.task(for: "a") == nil)
  }
}
