import SallyportProtocol
import SallyportServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store that sometimes kills the process after a commit, before the response is sent.
struct FatalStore: Store {
  let base: any Store
  /// The average number of commits after which the process is killed.
  let commitsPerKill: Int

  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let result = try await self.base.write(body)
    if Int.random(in: 0..<self.commitsPerKill) == 0 { kill(getpid(), SIGKILL) }
    return result
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
