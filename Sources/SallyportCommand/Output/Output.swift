#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import SallyportSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes results to standard output and messages to standard error.
enum Output {
  static func result(_ text: String) {
    self.write(text, to: .output)
  }

  /// Writes one line of JSON.
  static func result(json value: some Encodable) throws {
    self.result(try self.line(json: value))
  }

  /// One line of JSON.
  static func line(json value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Writes bytes without changes.
  static func bytes(_ bytes: [UInt8]) {
    StandardStream.output.write(bytes)
  }

  /// Adds a line break after an output that does not end with one, so that a message on the same terminal begins on a
  /// new line. Does nothing unless standard output and standard error are terminals.
  static func endLine(after bytes: [UInt8]) {
    guard let last = bytes.last, last != UInt8(ascii: "\n"), isatty(STDOUT_FILENO) == 1, self.hasReader else { return }
    // On standard error, so that the output itself stays unchanged.
    StandardStream.error.write("\n")
  }

  static func message(_ text: String) {
    self.statusLine.withLock { line in
      if line != nil { self.writeStatus(nil) }
      self.write(text, to: .error)
      if line != nil { self.writeStatus(line) }
    }
  }

  /// Writes a question. The response is typed on the same line.
  static func prompt(_ text: String) {
    StandardStream.error.write(text)
  }

  /// The line that is displayed below all messages, if any.
  private static let statusLine = Mutex<String?>(nil)

  /// Replaces the line below all messages on standard error, which must be a terminal. `nil` removes it.
  static func status(_ text: String?) {
    self.statusLine.withLock { line in
      guard line != nil || text != nil else { return }
      line = text
      self.writeStatus(text)
    }
  }

  private static func writeStatus(_ text: String?) {
    // Go to the start of the line and erase it.
    StandardStream.error.write("\r\u{1B}[K\(text ?? "")")
  }

  /// Whether standard error is a terminal, where a user can read the messages.
  static var hasReader: Bool { isatty(STDERR_FILENO) == 1 }
  /// Whether questions can be asked: standard input and standard error are terminals.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && self.hasReader }

  private static func write(_ text: String, to stream: StandardStream) {
    stream.write(text.hasSuffix("\n") ? text : text + "\n")
  }
}
