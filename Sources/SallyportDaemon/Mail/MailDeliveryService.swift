import Logging
import SallyportObservability
import SallyportServer
import ServiceLifecycle

/// Sends queued mail.
struct MailDeliveryService: Service {
  /// Nil if the server sends no mail.
  let deliveries: MailDeliveries?
  let transport: any MailTransport
  let metrics: ServerMetrics
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.deliveries?.run(by: self.transport) { outcome in
        self.metrics.mailEnded(outcome)
        switch outcome {
        case .sent: self.logger.info("mail sent")
        case .failed(let reason): self.logger.warning("mail failed, trying again", metadata: ["reason": "\(reason)"])
        case .givenUp(let reason): self.logger.warning("mail not sent", metadata: ["reason": "\(reason)"])
        }
      } failure: { error in
        self.logger.error("queued mail could not be read", metadata: ["error": "\(error)"])
      }
    }
    // Without mail, there is nothing to run. This service waits nevertheless, because all services stop when one ends.
    try? await gracefulShutdown()
  }
}
