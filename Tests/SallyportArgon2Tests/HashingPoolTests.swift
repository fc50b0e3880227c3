import Dispatch
import Foundation
import SallyportProtocol
import SallyportServer
import Synchronization
import Testing

@testable import SallyportArgon2

@Suite("Limits of hashing", .timeLimit(.minutes(3)))
struct HashingPoolTests {
  /// Work that reports when it starts, and waits until the test releases it.
  final class SlowWork: Sendable {
    let running = Atomic(0)
    let maximumRunning = Atomic(0)
    private let began = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    func run() {
      let now = self.running.add(1, ordering: .sequentiallyConsistent).newValue
      self.maximumRunning.max(now, ordering: .sequentiallyConsistent)
      self.began.signal()
      self.end.wait()
      self.running.subtract(1, ordering: .sequentiallyConsistent)
    }

    func waitForStarts(_ count: Int) async {
      for _ in 0..<count {
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "wait").async {
            self.began.wait()
            continuation.resume()
          }
        }
      }
    }

    func release(_ count: Int) {
      for _ in 0..<count { self.end.signal() }
    }
  }

  final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  private func wait(until condition: @Sendable () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test("calls beyond the number of threads wait, and calls beyond the limit of the queue are rejected immediately")
  func bounds() async throws {
    let (pool, slow) = (HashingPool(threads: 2, waiting: 3), SlowWork())
    let accepted = (0..<5).map { index in
      Task { try await pool.run { () throws(PasswordHasherError) in slow.run() } }
    }
    await slow.waitForStarts(2)
    await self.wait { pool.waiting == 3 }
    await #expect(throws: PasswordHasherError.overloaded) {
      try await pool.run { () throws(PasswordHasherError) in _ = Issue.record("must not run") }
    }
    slow.release(5)
    for task in accepted { try await task.value }
    #expect(slow.maximumRunning.load(ordering: .relaxed) == 2)
    #expect(try await pool.run { () throws(PasswordHasherError) in 7 } == 7)
  }

  @Test("a canceled caller leaves the queue and makes room for another")
  func cancellation() async throws {
    let (pool, slow) = (HashingPool(threads: 1, waiting: 1), SlowWork())
    let first = Task { try await pool.run { () throws(PasswordHasherError) in slow.run() } }
    await slow.waitForStarts(1)
    let second = Task { try await pool.run { () throws(PasswordHasherError) in _ = Issue.record("must not run") } }
    await self.wait { pool.waiting == 1 }
    second.cancel()
    await #expect(throws: PasswordHasherError.failed(reason: "the task was canceled while it waited for a thread")) {
      try await second.value
    }
    #expect(pool.waiting == 0)
    let third = Task { try await pool.run { () throws(PasswordHasherError) in slow.run() } }
    await self.wait { pool.waiting == 1 }
    slow.release(2)
    try await first.value
    try await third.value
  }

  @Test("a caller that was canceled before the call does not wait")
  func canceledBefore() async throws {
    let (pool, slow) = (HashingPool(threads: 1, waiting: 1), SlowWork())
    let first = Task { try await pool.run { () throws(PasswordHasherError) in slow.run() } }
    await slow.waitForStarts(1)
    let second = Task<Void, any Error> {
      withUnsafeCurrentTask { $0?.cancel() }
      try await pool.run { () throws(PasswordHasherError) in _ = Issue.record("must not run") }
    }
    await #expect(throws: PasswordHasherError.failed(reason: "the task was canceled while it waited for a thread")) {
      try await second.value
    }
    slow.release(1)
    try await first.value
  }

  @Test("200 concurrent sign-ins use a limited amount of memory, succeed or are rejected, and do not block other tasks")
  func burst() async throws {
    let hasher = Argon2PasswordHasher(threads: 2, waiting: 64)
    let hash = try await hasher.hash(Secret("password"))
    let before = try ProcessMemory.kibibytes("VmHWM")
    let end = Flag()
    let results = try await withThrowingTaskGroup(of: Bool?.self) { group in
      for _ in 0..<200 {
        group.addTask {
          do {
            return try await hasher.verify(Secret("password"), against: hash)
          } catch PasswordHasherError.overloaded {
            return nil
          }
        }
      }
      // If the calls hashed on Swift's cooperative thread pool, this task would hardly run until they end.
      let other = Task {
        var turns = 0
        while !end.isSet.load(ordering: .relaxed) {
          turns += 1
          await Task.yield()
        }
        return turns
      }
      let results = try await group.reduce(into: [Bool?]()) { $0.append($1) }
      end.isSet.store(true, ordering: .relaxed)
      #expect(await other.value > 100)
      return results
    }
    #expect(results.count == 200)
    #expect(!results.contains(false))
    let served = results.count { $0 == true }
    // Two threads and 64 places in the queue serve at least 65 calls: one thread may still be busy with the hash that
    // was made above.
    #expect((65..<200).contains(served), "\(served) served")
    // Two hashes use 38 MiB, and 66 at once would use 1,254 MiB. The limit is higher than 38 MiB because other tests
    // run at the same time.
    #expect(try ProcessMemory.kibibytes("VmHWM") - before < 600 * 1024, "more than 600 MiB were used")
  }
}
