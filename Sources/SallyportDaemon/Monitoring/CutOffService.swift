import Logging
import ServiceLifecycle

/// Logs a warning if a shutdown exceeds its time limit.
///
/// This service is first in its group, so it is told to stop after the others have ended. If it is canceled instead,
/// they have not ended.
struct CutOffService: Service {
  let readiness: Readiness
  let connections: OpenConnections
  let timeout: Duration
  let logger: Logger

  func run() async throws {
    await withTaskCancellationHandler {
      try? await gracefulShutdown()
    } onCancel: {
      // Logged immediately, because the services that are canceled at the same time close the connections that are
      // counted. A failure of the server cancels this service too, but is not a shutdown.
      guard self.readiness.isStopping else { return }
      self.logger.warning(
        "the stop was cut off: not everything that had begun came to its end",
        metadata: ["shutdown.timeout": "\(self.timeout)", "connections": "\(self.connections.count)"])
    }
  }
}
