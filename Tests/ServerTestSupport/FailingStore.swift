package import SallyportProtocol
package import SallyportServer
import Synchronization

/// A store that counts its reads and its writes, and can make them fail. A removal of expired rows counts as a write,
/// but ``interrupt(after:)`` does not make it fail.
package final class FailingStore: Store {
  private struct State {
    var error: StoreError?
    var failsReads = false
    var losesOutcome = false
    var writes = 0
    var reads = 0
    /// The number of reads and writes that still succeed; nil if it is not limited, and -1 after one has failed.
    var remaining: Int?
    var beforeWrite: (@Sendable (Int) async throws -> Void)?
  }

  private let base: any Store
  private let state = Mutex(State())

  package init(_ base: any Store) {
    self.base = base
  }

  package var writes: Int { self.state.withLock { $0.writes } }
  package var reads: Int { self.state.withLock { $0.reads } }

  /// Makes all later writes and removals fail, or succeed again.
  /// - Parameters:
  ///   - error: The error of writes and removals; nil for success.
  ///   - failsReads: Whether reads throw this error too.
  package func fail(with error: StoreError?, alsoReads failsReads: Bool = false) {
    self.state.withLock { ($0.error, $0.failsReads) = (error, failsReads) }
  }

  /// Makes the next write succeed, but throw ``StoreError/outcomeUnknown(reason:)``.
  package func loseOutcomeOfNextWrite() {
    self.state.withLock { $0.losesOutcome = true }
  }

  /// Makes all reads and writes after the next `calls` ones fail; nil to make the store available again.
  package func interrupt(after calls: Int?) {
    self.state.withLock { $0.remaining = calls }
  }

  /// Makes the store call `action` before each write, with the number of earlier writes. An error of `action` makes the
  /// write fail.
  package func beforeEachWrite(_ action: (@Sendable (Int) async throws -> Void)?) {
    self.state.withLock { $0.beforeWrite = action }
  }

  /// Whether a read or write has failed since the last call of ``interrupt(after:)``.
  package var wasInterrupted: Bool { self.state.withLock { $0.remaining ?? 0 } < 0 }

  package func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.countInterruption()
    let (action, writes) = self.state.withLock { ($0.beforeWrite, $0.writes) }
    do { try await action?(writes) } catch { throw .unavailable(reason: "\(error)") }
    try self.countOrFail()
    let result = try await self.base.write(body)
    let isLost = self.state.withLock { state in
      defer { state.losesOutcome = false }
      return state.losesOutcome
    }
    if isLost { throw .outcomeUnknown(reason: "the response was lost") }
    return result
  }

  package func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.countInterruption()
    let error = self.state.withLock { state in
      state.reads += 1
      return state.failsReads ? state.error : nil
    }
    if let error { throw error }
    return try await self.base.read(body)
  }

  package func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    try self.countOrFail()
    return try await self.base.removeExpired(before: now, limit: limit)
  }

  private func countInterruption() throws(StoreError) {
    let isAvailable = self.state.withLock { state in
      guard let calls = state.remaining else { return true }
      state.remaining = max(calls - 1, -1)
      return calls > 0
    }
    guard isAvailable else { throw .unavailable(reason: "interrupted") }
  }

  private func countOrFail() throws(StoreError) {
    let error = self.state.withLock { state in
      state.writes += 1
      return state.error
    }
    if let error { throw error }
  }
}
