import Logging
import Synchronization

/// The log level that all loggers created with ``logger(label:writingTo:)`` share. The level can change while the
/// loggers are in use.
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
    // The handler must not filter by a level of its own.
    var unfiltered = handler
    unfiltered.logLevel = .trace
    let base = unfiltered
    return Logger(label: label, factory: { _ in Handler(base: base, sharedLevel: self) })
  }

  private struct Handler: LogHandler {
    var base: any LogHandler
    let sharedLevel: LogLevel
    /// The metadata is kept here until a line is written, because a `StreamLogHandler` formats its metadata on each
    /// change, for example when a request gets its identifier.
    var metadata: Logger.Metadata = [:]
    /// The level that was set on this copy of the logger only; nil to use the shared level.
    var ownLevel: Logger.Level?

    var logLevel: Logger.Level {
      get { self.ownLevel ?? self.sharedLevel.current }
      set { self.ownLevel = newValue }
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
      event.metadata = self.metadata.merging(event.metadata ?? [:]) { _, eventValue in eventValue }
      self.base.log(event: event)
    }
  }
}
