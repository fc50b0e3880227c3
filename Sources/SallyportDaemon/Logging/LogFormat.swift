import Logging

/// How a line of the log looks on standard error.
enum LogFormat: String, Sendable {
  /// For people.
  case text
  /// A JSON object a line, for what collects logs.
  case json

  @Sendable func handler(label: String) -> any LogHandler {
    switch self {
    case .text: StreamLogHandler.standardError(label: label)
    case .json: JSONLogHandler(label: label)
    }
  }
}
