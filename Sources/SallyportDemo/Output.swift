#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The output of the command: results on standard output, messages on standard error.
enum Output {
  static func message(_ text: String) {
    self.write(text + "\n", to: STDERR_FILENO)
  }

  static func result(_ text: String) {
    self.write(text + "\n", to: STDOUT_FILENO)
  }

  static func result(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    self.result(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      #if canImport(Glibc)
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #else
        let written = bytes.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}
