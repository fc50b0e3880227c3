import Logging
import Synchronization

/// Keeps every line that is logged, at any level, with its metadata.
final class CapturedLog: Sendable {
  private let captured = Mutex<[String]>([])

  var lines: [String] { self.captured.withLock { $0 } }

  /// A logger at trace level that writes to this log.
  var logger: Logger {
    var logger = Logger(label: "captured", factory: { _ in Handler(log: self) })
    logger.logLevel = .trace
    return logger
  }

  private func add(_ line: String) {
    self.captured.withLock { $0.append(line) }
  }

  private struct Handler: LogHandler {
    let log: CapturedLog
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(log: CapturedLog) {
      self.log = log
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { self.metadata[key] }
      set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
      let fields = metadata.map { "\($0.key)=\($0.value)" }
      let error = event.error.map { ["error: \($0)"] } ?? []
      self.log.add(([event.level.rawValue, "\(event.message)"] + fields + error).joined(separator: " "))
    }
  }
}
