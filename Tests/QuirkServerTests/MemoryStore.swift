import Sallyport
import SallyportProtocol
import Synchronization

/// A store in memory, for one process.
final class MemoryStore: TokenStore {
  private let values = Mutex([TokenStoreKey: [UInt8]]())

  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    self.values.withLock { $0[key] }.map { Secret($0) }
  }

  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
    self.values.withLock { $0[key] = value.reveal() }
  }

  func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
    self.values.withLock { $0[key] = nil }
  }

  func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
    try await body()
  }
}
