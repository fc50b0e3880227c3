import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads the settings on SIGHUP.
struct ReloadService: Service {
  /// Must be trapped before the server reports that it is ready, because SIGHUP would end the process.
  let signals: UnixSignalsSequence
  let reloading: Reloading

  func run() async throws {
    for await _ in self.signals.cancelOnGracefulShutdown() {
      ServiceManager.notify("RELOADING=1\nMONOTONIC_USEC=\(ServiceManager.monotonicMicroseconds)")
      let outcome = self.reloading.reload()
      ServiceManager.notify("READY=1\nSTATUS=\(outcome)")
    }
  }
}
