#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import SallyportSystem

/// The output of the command: results on standard output, messages on standard error.
enum Output {
  static func message(_ text: String) {
    StandardStream.error.write(text + "\n")
  }

  static func result(_ text: String) {
    StandardStream.output.write(text + "\n")
  }

  static func result(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    self.result(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
