import Logging
import SallyportObservability
import SallyportServer
import ServiceLifecycle

/// Notifies clients that a user has signed out (OpenID Connect Back-Channel Logout).
struct LogoutDeliveryService: Service {
  let deliveries: LogoutDeliveries
  let metrics: ServerMetrics
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.deliveries.run { client, outcome in
        self.metrics.logoutDeliveryEnded(outcome)
        let metadata: Logger.Metadata = ["client": "\(client.rawValue)", "outcome": "\(outcome.rawValue)"]
        switch outcome {
        case .delivered: self.logger.info("logout notification delivered", metadata: metadata)
        case .failed: self.logger.notice("logout notification failed, trying again", metadata: metadata)
        case .rejected, .givenUp, .undeliverable: self.logger.warning("logout notification not delivered", metadata: metadata)
        }
      } failure: { error in
        self.logger.error("logout notifications could not be read or stored", metadata: ["error": "\(error)"])
      }
    }
  }
}
