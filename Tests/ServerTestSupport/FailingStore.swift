package import SallyportProtocol
package import SallyportServer
import Synchronization

/// A store that counts reads, and counts writes and removals of expired rows together. It can also make them fail.
package final class FailingStore: Store {
  private struct State {
    var error: StoreError?
    var failsReads = false
    var writes = 0
    var reads = 0
  }

  private let base: any Store
  private let state = Mutex(State())

  package init(_ base: any Store) {
    self.base = base
  }

  package var writes: Int { self.state.withLock { $0.writes } }
  package var reads: Int { self.state.withLock { $0.reads } }

  /// - Parameters:
  ///   - error: The error of writes and removals; nil for success.
  ///   - failsReads: Whether reads throw this error too.
  package func fail(with error: StoreError?, alsoReads failsReads: Bool = false) {
    self.state.withLock { ($0.error, $0.failsReads) = (error, failsReads) }
  }

  package func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.countOrFail()
    return try await self.base.write(body)
  }

  package func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
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

  private func countOrFail() throws(StoreError) {
    let error = self.state.withLock { state in
      state.writes += 1
      return state.error
    }
    if let error { throw error }
  }
}
