import SallyportServer
import ServiceLifecycle

/// Reports that the server is stopping, and then waits, so that load balancers stop sending requests before the
/// listeners close. This service is last in its group, so it stops first.
struct ShutdownDelayService: Service {
  let readiness: Readiness
  let delay: Duration
  /// How long requests in progress may take to finish.
  let timeout: Duration

  func run() async throws {
    try await gracefulShutdown()
    // Sent before the timeout: if the service manager did not request this shutdown, it must know that the service is
    // stopping before it can extend the timeout of the stop.
    ServiceManager.notify("STOPPING=1")
    // Extends the unit's TimeoutStopSec, which could otherwise be shorter than the settings require. The extra 30
    // seconds are for closing files.
    let extraTime = self.delay + self.timeout + .seconds(30)
    ServiceManager.notify("EXTEND_TIMEOUT_USEC=\(Int(extraTime / .microseconds(1)))")
    self.readiness.markStopping()
    try await Task.sleep(for: self.delay)
  }
}
