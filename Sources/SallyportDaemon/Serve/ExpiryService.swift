import Logging
import SallyportProtocol
import SallyportServer
import ServiceLifecycle

/// Removes what has ended, a little at a time, so that nobody waits for it.
struct ExpiryService: Service {
  let store: any Store
  let auditKeep: Duration
  let logger: Logger
  /// Rows of one step. Each of them lies on pages of its own, all of which the commit writes that the step shares with requests: with a
  /// hundred it takes twice as long as with twenty, of which most is what any commit takes.
  var batch = 20
  /// Between two rounds, once nothing is left.
  var pause: Duration = .seconds(60)
  /// After each step it rests so many times as long as the step took: the writer belongs to the requests.
  var rest = 4
  /// A round that lasts longer may be one in which more expires than is removed. From then on a rest is as long as a step.
  var patience: Duration = .seconds(600)

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
    let (clock, began) = (ContinuousClock(), ContinuousClock.now)
    var removed = self.batch
    while removed == self.batch {
      let taken = try await clock.measure { removed = try await step() }
      let isLate = began.duration(to: clock.now) > self.patience
      if removed == self.batch { try await Task.sleep(for: isLate ? taken : taken * self.rest) }
    }
  }
}
