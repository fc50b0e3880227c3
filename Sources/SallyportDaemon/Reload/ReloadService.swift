import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads the settings on SIGHUP.
struct ReloadService: Service {
  /// The SIGHUP signals. They must be trapped before the server reports that it is ready, because an untrapped SIGHUP
  /// ends the process.
  let signals: UnixSignalsSequence
  let reloader: SettingsReloader

  func run() async throws {
    for await _ in self.signals.cancelOnGracefulShutdown() {
      ServiceManager.notify("RELOADING=1\nMONOTONIC_USEC=\(ServiceManager.monotonicMicroseconds)")
      let outcome = self.reloader.reload()
      ServiceManager.notify("READY=1\nSTATUS=\(outcome)")
    }
  }
}
