import Logging
import ServiceLifecycle

/// Says so in the log where a stop is cut off at its bound.
///
/// It stands before what it watches, so it is told to stop after that has ended. Where it is cancelled instead, that has not ended.
struct CutOffService: Service {
  let readiness: Readiness
  let connections: OpenConnections
  let timeout: Duration
  let logger: Logger

  func run() async throws {
    await withTaskCancellationHandler {
      try? await gracefulShutdown()
    } onCancel: {
      // At once, since those who are cancelled with it close what is counted here. A server that fails is cancelled too, unasked.
      guard self.readiness.isStopping else { return }
      self.logger.warning(
        "the stop was cut off: not everything that had begun came to its end",
        metadata: ["shutdown.timeout": "\(self.timeout)", "connections": "\(self.connections.count)"])
    }
  }
}
