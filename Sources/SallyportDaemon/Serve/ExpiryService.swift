import Logging
import SallyportProtocol
import SallyportServer
import ServiceLifecycle

/// Removes what has ended, a little at a time, so that nobody waits for it.
struct ExpiryService<S: Store>: Service {
  let store: S
  let auditKeep: Duration
  let logger: Logger
  /// Rows of one step.
  var batch = 500
  /// Between two rounds, once nothing is left.
  var pause: Duration = .seconds(60)

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.removeAll()
        try await Task.sleep(for: self.pause)
      }
    }
  }

  private func removeAll() async {
    do throws(StoreError) {
      while try await self.store.removeExpired(before: .now(), limit: self.batch) == self.batch, !Task.isCancelled {
        await Task.yield()
      }
      let (batch, oldest) = (self.batch, Timestamp.now() - self.auditKeep)
      while !Task.isCancelled {
        let removed = try await self.store.write { (tx) throws(StoreError) in
          try tx.removeAuditRecords(before: oldest, limit: batch)
        }
        guard removed == batch else { break }
        await Task.yield()
      }
    } catch {
      self.logger.error("expired rows were not removed", metadata: ["error": "\(error)"])
    }
  }
}
