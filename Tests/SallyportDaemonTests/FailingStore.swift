import SallyportProtocol
import SallyportServer
import Synchronization

/// A store whose writes can be made to fail, and that counts them.
final class FailingStore: Store {
  private struct State {
    var error: StoreError?
    var writes = 0
  }

  private let base: any Store
  private let state = Mutex(State())

  init(_ base: any Store) {
    self.base = base
  }

  var writes: Int { self.state.withLock { $0.writes } }

  /// - Parameter error: nil for a store that works.
  func fail(with error: StoreError?) {
    self.state.withLock { $0.error = error }
  }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.countOrFail()
    return try await self.base.write(body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.base.read(body)
  }

  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
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
