import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport

extension TestServer {
  /// Retires all signing keys.
  /// - Parameter kept: How long the store keeps the retired keys.
  func retireKeys(keptFor kept: Duration = .zero) async throws {
    let retired = self.clock.now
    try await self.store.write { (tx) throws(StoreError) in
      for key in try tx.signingKeys() {
        _ = try tx.retireSigningKey(
          key.id, at: retired, removedAt: retired + kept, tx.record(AuditRecord(.keyRetired, from: .command, at: retired)))
      }
    }
  }
}
