import Logging
import Synchronization

/// The log level shared by all loggers created with it. It can change while they are in use.
final class LogLevel: Sendable {
  private let level: Mutex<Logger.Level>

  init(_ level: Logger.Level) {
    self.level = Mutex(level)
  }

  var current: Logger.Level {
    get { self.level.withLock { $0 } }
    set { self.level.withLock { $0 = newValue } }
  }

  /// Creates a logger that uses this level.
  func logger(label: String, writingTo handler: some LogHandler) -> Logger {
    var everything = handler
    everything.logLevel = .trace
    let base = everything
    return Logger(label: label, factory: { _ in Handler(base: base, shared: self) })
  }

  private struct Handler: LogHandler {
    var base: any LogHandler
    let shared: LogLevel
    /// The metadata is kept here until a line is written, because the base handler formats its metadata on each change,
    /// for example when a request gets its identifier.
    var metadata: Logger.Metadata = [:]
    /// The level that was set on this copy of the logger.
    var own: Logger.Level?

    var logLevel: Logger.Level {
      get { self.own ?? self.shared.current }
      set { self.own = newValue }
    }
    var metadataProvider: Logger.MetadataProvider? {
      get { self.base.metadataProvider }
      set { self.base.metadataProvider = newValue }
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { self.metadata[key] }
      set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      var event = event
      event.metadata = self.metadata.merging(event.metadata ?? [:]) { _, lines in lines }
      self.base.log(event: event)
    }
  }
}
