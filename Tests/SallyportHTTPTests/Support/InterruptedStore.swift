import SallyportProtocol
import SallyportServer
import Synchronization

/// A store that becomes unavailable after a number of reads and writes.
final class InterruptedStore: Store {
  private let base: any Store
  /// The number of calls that still succeed; nil for all.
  private let remaining = Mutex<Int?>(nil)

  init(_ base: any Store) {
    self.base = base
  }

  /// Makes the store unavailable after `calls` reads and writes; nil to make it available.
  func interrupt(after calls: Int?) {
    self.remaining.withLock { $0 = calls }
  }

  /// Whether a call has failed since the last call of ``interrupt(after:)``.
  var hasFailed: Bool { self.remaining.withLock { $0 ?? 0 } < 0 }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.countOrFail()
    return try await self.base.write(body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.countOrFail()
    return try await self.base.read(body)
  }

  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    try await self.base.removeExpired(before: now, limit: limit)
  }

  private func countOrFail() throws(StoreError) {
    let isAvailable = self.remaining.withLock { remaining in
      guard let calls = remaining else { return true }
      remaining = max(calls - 1, -1)
      return calls > 0
    }
    guard isAvailable else { throw .unavailable(reason: "interrupted") }
  }
}
