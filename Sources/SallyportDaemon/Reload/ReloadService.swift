import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the settings again whenever SIGHUP asks for it.
struct ReloadService: Service {
  /// Trapped before the server says that it is ready: until then SIGHUP would end the process.
  let signals: UnixSignalsSequence
  let reloading: Reloading

  func run() async throws {
    for await _ in self.signals.cancelOnGracefulShutdown() {
      ServiceManager.tell("RELOADING=1\nMONOTONIC_USEC=\(ServiceManager.monotonicMicroseconds)")
      let outcome = self.reloading.reload()
      ServiceManager.tell("READY=1\nSTATUS=\(outcome)")
    }
  }
}
