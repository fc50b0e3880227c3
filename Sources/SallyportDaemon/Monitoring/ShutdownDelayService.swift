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
    // STOPPING=1 must come before EXTEND_TIMEOUT_USEC. A service manager that did not request this shutdown would
    // otherwise not know that the service is stopping, and would not extend the time limit for the stop.
    ServiceManager.notify("STOPPING=1")
    // Extends systemd's TimeoutStopSec, which could otherwise be shorter than the settings require. The extra 30
    // seconds are for closing files.
    let extraTime = self.delay + self.timeout + .seconds(30)
    ServiceManager.notify("EXTEND_TIMEOUT_USEC=\(Int(extraTime / .microseconds(1)))")
    self.readiness.markStopping()
    try await Task.sleep(for: self.delay)
  }
}
