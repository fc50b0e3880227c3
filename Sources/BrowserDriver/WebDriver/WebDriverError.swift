package import SallyportRemote

/// Why a browser command failed.
package enum WebDriverError: Error, Sendable, CustomStringConvertible {
  /// The driver exited, or did not report a port in time. Contains the driver's output.
  case driverDidNotStart(output: String)
  /// The driver returned an error (W3C WebDriver §6.6).
  case refused(command: String, error: String, message: String)
  case noAnswer(command: String, TransportError)
  /// The response is not a WebDriver response.
  case malformed(command: String)

  package var description: String {
    switch self {
    case .driverDidNotStart(let output): "the browser driver did not start: \(output)"
    case .refused(let command, let error, let message): "\(command): \(error): \(message.prefix { $0 != "\n" })"
    case .noAnswer(let command, let error): "\(command): no response: \(error)"
    case .malformed(let command): "\(command): not a WebDriver response"
    }
  }

  /// Whether an element was missing or stale, which happens while a page is being replaced.
  var isOfChangingPage: Bool {
    if case .refused(_, let error, _) = self { ["no such element", "stale element reference"].contains(error) } else { false }
  }
}
