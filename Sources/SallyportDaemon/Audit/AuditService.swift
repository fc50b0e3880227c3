import Logging
import SallyportProtocol
import SallyportServer
import ServiceLifecycle

/// Records when the server starts and stops, and in between writes the audit records of rejected requests.
struct AuditService: Service {
  let server: AuthorizationServer
  let logger: Logger

  func run() async throws {
    await self.write(.serverStarted)
    await cancelWhenGracefulShutdown {
      await self.server.rejections.run { self.report($0) }
    }
    await self.write(.serverStopped)
  }

  private func write(_ event: AuditEvent) async {
    let record = AuditRecord(event, subject: self.server.configuration.issuer.value, from: .server, at: .now())
    do throws(StoreError) {
      try await self.server.store.write { (tx) throws(StoreError) in try tx.insert(record) }
    } catch { self.report(error) }
  }

  private func report(_ error: StoreError) {
    self.logger.error("audit records could not be written", metadata: ["error": "\(error)"])
  }
}
