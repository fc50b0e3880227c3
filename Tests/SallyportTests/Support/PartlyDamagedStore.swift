import Sallyport
import SallyportProtocol
import SallyportTesting

/// A store in which one value cannot be read.
struct PartlyDamagedStore: TokenStore {
  let base: MemoryTokenStore
  let damaged: TokenStoreKey

  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    guard let value = try await self.base.load(key) else { return nil }
    guard key != self.damaged else { throw .damaged(reason: "a stored file was modified") }
    return value
  }

  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
    try await self.base.save(value, for: key)
  }

  func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
    try await self.base.remove(key)
  }

  func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
    try await self.base.withLease(on: key, body)
  }
}
