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

/// Results go to standard output, talk to standard error.
enum Output {
  static func result(_ text: String) {
    self.write(text, to: STDOUT_FILENO)
  }

  /// One line of JSON.
  static func result(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.result(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Bytes as they are.
  static func bytes(_ bytes: [UInt8]) {
    self.write(bytes[...], to: STDOUT_FILENO)
  }

  static func talk(_ text: String) {
    self.write(text, to: STDERR_FILENO)
  }

  /// Whether somebody reads along.
  static var hasReader: Bool { isatty(STDERR_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) {
    self.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8)[...], to: descriptor)
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // Nobody is there to hear of a closed output.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

/// Has another name here, since ``Output`` has a `write` of its own.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
