package import SallyportRemote

/// Why the browser did not do as it was asked.
package enum WebDriverError: Error, Sendable, CustomStringConvertible {
  /// The driver ended, or said no port in time; with what it said.
  case driverDidNotStart(output: String)
  /// The driver refused a command (W3C WebDriver §6.6).
  case refused(command: String, error: String, message: String)
  case noAnswer(command: String, TransportError)
  /// An answer that is no WebDriver answer.
  case malformed(command: String)

  package var description: String {
    switch self {
    case .driverDidNotStart(let output): "the browser's driver did not start: \(output)"
    case .refused(let command, let error, let message): "\(command): \(error): \(message.prefix { $0 != "\n" })"
    case .noAnswer(let command, let error): "\(command): no answer: \(error)"
    case .malformed(let command): "\(command): not a WebDriver answer"
    }
  }

  /// Whether an element was not there, or no longer, as happens while one page makes room for the next.
  var isOfChangingPage: Bool {
    if case .refused(_, let error, _) = self { ["no such element", "stale element reference"].contains(error) } else { false }
  }
}
