import Logging
import SallyportProtocol
import SallyportServer
import ServiceLifecycle

/// Removes expired rows and old audit records in small steps, so that requests do not wait long. See
/// docs/decisions/0040-expiry-in-small-steps.md.
struct ExpiryService<C: Clock>: Service where C.Duration == Duration {
  let store: any Store
  let auditRetention: Duration
  let logger: Logger
  var pace = ExpiryPace()
  /// How long expired rows are kept. The clocks of servers may differ, so an assertion or an interaction that has
  /// expired here may still be valid for another server, which must see that it was used. In addition, a device whose
  /// code has just expired gets the error `expired_token` (RFC 8628 §3.5) and not `invalid_grant`.
  var retention: Duration = .seconds(300)
  /// Measures the steps and the pauses between them.
  let clock: C

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try await self.removeAll()
        try await Task.sleep(for: self.pace.roundPause, clock: self.clock)
      }
    }
  }

  /// - Throws: `CancellationError`
  private func removeAll() async throws {
    let batch = self.pace.batch
    do {
      try await self.repeating { () throws(StoreError) in
        try await self.store.removeExpired(before: .now() - self.retention, limit: batch)
      }
      let oldest = Timestamp.now() - self.auditRetention
      try await self.repeating { () throws(StoreError) in
        try await self.store.write { (tx) throws(StoreError) in try tx.removeAuditRecords(before: oldest, limit: batch) }
      }
    } catch let error as StoreError {
      self.logger.error("expired rows could not be removed", metadata: ["error": "\(error)"])
    }
  }

  /// Repeats a step until it removes fewer rows than one batch, because then no expired rows are left.
  private func repeating(_ step: () async throws(StoreError) -> Int) async throws {
    let first = self.clock.now
    while true {
      let began = self.clock.now
      let removed = try await step()
      let now = self.clock.now
      let pause = self.pace.pause(afterRemoving: removed, in: began.duration(to: now), elapsed: first.duration(to: now))
      guard let pause else { return }
      try await Task.sleep(for: pause, clock: self.clock)
    }
  }
}
