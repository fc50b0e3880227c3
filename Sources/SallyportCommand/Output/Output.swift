#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    self.write(text, to: STDOUT_FILENO)
  }

  /// Writes one line of JSON.
  static func result(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.result(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Writes bytes without changes.
  static func bytes(_ bytes: [UInt8]) {
    self.write(bytes[...], to: STDOUT_FILENO)
  }

  static func message(_ text: String) {
    self.write(text, to: STDERR_FILENO)
  }

  /// Whether standard error is a terminal.
  static var hasReader: Bool { isatty(STDERR_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) {
    self.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8)[...], to: descriptor)
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // If the output is closed, the error cannot be reported.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

/// `write(2)`, with a name that isn't hidden by the methods of ``Output``.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
