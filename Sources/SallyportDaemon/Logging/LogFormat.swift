import Logging

/// The format of log lines on standard error.
enum LogFormat: String, Sendable {
  /// Human-readable text.
  case text
  /// One JSON object per line, for log collectors.
  case json

  @Sendable func handler(label: String) -> any LogHandler {
    switch self {
    case .text: StreamLogHandler.standardError(label: label)
    case .json: JSONLogHandler(label: label)
    }
  }
}
