import SallyportServer
import ServiceLifecycle

/// The last service of the group, so the first that is told to stop: says that the server is not ready, and gives those who ask time to
/// hear of it before the listeners close.
struct StopService: Service {
  let readiness: Readiness
  let delay: Duration
  /// For the requests that have begun.
  let timeout: Duration

  func run() async throws {
    try await gracefulShutdown()
    // As its own message: the service manager has to know first that this is a stop, where it was not the one that asked for it.
    ServiceManager.tell("STOPPING=1")
    // So the settings and the unit's TimeoutStopSec cannot disagree. What is asked for above the two is for closing the files.
    let patience = self.delay + self.timeout + .seconds(30)
    ServiceManager.tell("EXTEND_TIMEOUT_USEC=\(Int(patience / .microseconds(1)))")
    self.readiness.stopping()
    try await Task.sleep(for: self.delay)
  }
}
