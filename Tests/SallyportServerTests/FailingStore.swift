import SallyportProtocol
import SallyportSQLite
import SallyportServer
import Synchronization

/// A store that writes nothing while a test says so.
final class FailingStore: Store {
  let base: SQLiteStore
  let isFailing = Mutex(false)

  init(base: SQLiteStore) {
    self.base = base
  }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    if self.isFailing.withLock({ $0 }) { throw .unavailable(reason: "full") }
    return try await self.base.write(body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.base.read(body)
  }

  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    try await self.base.removeExpired(before: now, limit: limit)
  }
}
