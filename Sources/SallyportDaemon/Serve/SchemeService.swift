import Logging
import SallyportServer
import ServiceLifecycle

/// Warns of clients that claim one scheme, once, beside the server: there may be thousands to look through, and none of them is to wait for it.
struct SchemeService: Service {
  let store: any Store
  let logger: Logger

  func run() async throws {
    do throws(StoreError) {
      for shared in SharedScheme.among(try await self.store.read { (tx) throws(StoreError) in try tx.clients() }) {
        self.logger.warning(
          "clients claim one scheme", metadata: ["scheme": "\(shared.scheme)", "clients": "\(shared.clients.map(\.rawValue))"])
      }
    } catch {
      self.logger.error("clients were not looked through for shared schemes", metadata: ["error": "\(error)"])
    }
    // A service that ends would end the group.
    try? await gracefulShutdown()
  }
}
