import Logging
import Synchronization

/// How much is logged, by every logger that was made with it; it can change while they are used.
final class LogLevel: Sendable {
  private let level: Mutex<Logger.Level>

  init(_ level: Logger.Level) {
    self.level = Mutex(level)
  }

  var current: Logger.Level {
    get { self.level.withLock { $0 } }
    set { self.level.withLock { $0 = newValue } }
  }

  /// A logger that asks here.
  func logger(label: String, writingTo handler: some LogHandler) -> Logger {
    var everything = handler
    everything.logLevel = .trace
    let base = everything
    return Logger(label: label, factory: { _ in Handler(base: base, shared: self) })
  }

  private struct Handler: LogHandler {
    var base: any LogHandler
    let shared: LogLevel
    /// Kept here until a line is written: the handler below would format it each time that a request is given its identifier.
    var metadata: Logger.Metadata = [:]
    /// What a copy of the logger was told for itself.
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
