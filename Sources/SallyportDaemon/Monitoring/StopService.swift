import SallyportServer
import ServiceLifecycle

/// The last service of the group, so the first that is told to stop: says that the server is not ready, and gives those who ask time to
/// hear of it before the listeners close.
struct StopService: Service {
  let readiness: Readiness
  let delay: Duration

  func run() async throws {
    try await gracefulShutdown()
    self.readiness.stopping()
    try await Task.sleep(for: self.delay)
  }
}
