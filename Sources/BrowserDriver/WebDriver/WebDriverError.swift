package import SallyportRemote

/// Why a browser command failed.
package enum WebDriverError: Error, Sendable, CustomStringConvertible {
  /// The driver exited before it reported its port. The associated value is the driver's output.
  case driverDidNotStart(output: String)
  /// The driver returned an error (W3C WebDriver §6.6).
  case failed(command: String, error: String, message: String)
  /// The driver did not respond to the command.
  case noResponse(command: String, TransportError)
  /// The response is not a WebDriver response.
  case malformed(command: String)

  package var description: String {
    switch self {
    case .driverDidNotStart(let output): "the browser driver did not start: \(output)"
    case .failed(let command, let error, let message): "\(command): \(error): \(message.prefix { $0 != "\n" })"
    case .noResponse(let command, let error): "\(command): no response: \(error)"
    case .malformed(let command): "\(command): not a WebDriver response"
    }
  }

  /// Whether the element belonged to a document that was replaced in the meantime.
  var isStaleElement: Bool {
    guard case .failed(_, let error, let message) = self else { return false }
    // Chromium's driver reports some browser errors directly instead of the protocol's "stale element reference". The
    // second text matches "No node" and "no node".
    let chromiumMessages = [
      "Node with given id does not belong to the document", "o node with given id", "Execution context was destroyed",
      "Cannot find context with specified id", "no such execution context",
    ]
    return error == "stale element reference" || chromiumMessages.contains { message.contains($0) }
  }

  /// Whether an element is missing or stale, as happens while one page replaces another.
  var isCausedByPageChange: Bool {
    if case .failed(_, "no such element", _) = self { return true }
    return self.isStaleElement
  }
}
