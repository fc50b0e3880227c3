import Logging
import SallyportHTTP
import SallyportServer
import ServiceLifecycle

/// Tells clients that a person has signed out, OpenID Connect Back-Channel Logout.
struct LogoutService: Service {
  let deliveries: LogoutDeliveries
  let metrics: ServerMetrics
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.deliveries.run { client, outcome in
        self.metrics.delivered(outcome)
        let metadata: Logger.Metadata = ["client": "\(client.rawValue)", "outcome": "\(outcome.rawValue)"]
        switch outcome {
        case .delivered: self.logger.info("client told of a sign-out", metadata: metadata)
        case .failed: self.logger.notice("client not told of a sign-out, trying again", metadata: metadata)
        case .refused, .givenUp, .undeliverable: self.logger.warning("client not told of a sign-out", metadata: metadata)
        }
      } failure: { error in
        self.logger.error("sign-outs were not delivered", metadata: ["error": "\(error)"])
      }
    }
  }
}
