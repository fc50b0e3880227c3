import Logging
import SallyportHTTPServer
import ServiceLifecycle

/// Logs a warning if a shutdown exceeds its time limit.
///
/// This service is first in its group, so its graceful shutdown begins after all other services have ended. If this
/// service is canceled during a shutdown, some of the other services did not end in time.
struct ShutdownTimeoutService: Service {
  let readiness: Readiness
  let connections: Connections
  let timeout: Duration
  let logger: Logger

  func run() async throws {
    await withTaskCancellationHandler {
      try? await gracefulShutdown()
    } onCancel: {
      // The warning is logged immediately, because the other services, which are canceled at the same time, close the
      // connections that the warning counts. A failure of the server also cancels this service, but is not a shutdown.
      guard self.readiness.isStopping else { return }
      self.logger.warning(
        "shutdown timed out: requests in progress were canceled",
        metadata: ["shutdown.timeout": "\(self.timeout)", "connections": "\(self.connections.count)"])
    }
  }
}
