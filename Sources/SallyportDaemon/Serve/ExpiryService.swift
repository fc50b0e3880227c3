import Logging
import SallyportProtocol
import SallyportServer
import ServiceLifecycle

/// Removes what has ended, a little at a time, so that nobody waits for it.
struct ExpiryService: Service {
  let store: any Store
  let auditKeep: Duration
  let logger: Logger
  /// Rows of one step.
  var batch = 100
  /// Between two rounds, once nothing is left.
  var pause: Duration = .seconds(60)
  /// After each step it rests so many times as long as the step took: the writer belongs to the requests.
  var rest = 4

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try await self.removeAll()
        try await Task.sleep(for: self.pause)
      }
    }
  }

  /// - Throws: `CancellationError`
  private func removeAll() async throws {
    do {
      try await self.repeating { () throws(StoreError) in
        try await self.store.removeExpired(before: .now(), limit: self.batch)
      }
      let (batch, oldest) = (self.batch, Timestamp.now() - self.auditKeep)
      try await self.repeating { () throws(StoreError) in
        try await self.store.write { (tx) throws(StoreError) in try tx.removeAuditRecords(before: oldest, limit: batch) }
      }
    } catch let error as StoreError {
      self.logger.error("expired rows were not removed", metadata: ["error": "\(error)"])
    }
  }

  /// Repeats a step as long as it removes all that it may.
  private func repeating(_ step: () async throws(StoreError) -> Int) async throws {
    var removed = self.batch
    while removed == self.batch {
      let taken = try await ContinuousClock().measure { removed = try await step() }
      if removed == self.batch { try await Task.sleep(for: taken * self.rest) }
    }
  }
}
