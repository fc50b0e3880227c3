import Logging
import SallyportServer
import ServiceLifecycle

/// Logs a warning at startup if several of the operator's clients use the same private-use scheme. The check runs as a
/// service, because with thousands of clients, it would otherwise delay the start.
struct SharedSchemeService: Service {
  let store: any Store
  let logger: Logger

  func run() async throws {
    do throws(StoreError) {
      for shared in SharedScheme.find(in: try await self.store.read { (tx) throws(StoreError) in try tx.clients() }) {
        self.logger.warning(
          "several clients use the same scheme",
          metadata: ["scheme": "\(shared.scheme)", "clients": "\(shared.clients.map(\.rawValue))"])
      }
    } catch {
      self.logger.error("clients could not be checked for shared schemes", metadata: ["error": "\(error)"])
    }
    // Waits, because all services stop when one of them ends.
    try? await gracefulShutdown()
  }
}
