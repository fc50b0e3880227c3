/// A name that the user gives to an account, for example `work`.
struct ProfileName: Codable, Hashable, CustomStringConvertible {
  let description: String

  /// - Returns: `nil` unless the text has 1 to 64 ASCII letters, digits, `.`, `-`, `_`, or `@` and doesn't start with
  ///   `-`.
  init?(_ text: String) {
    let isAllowed = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: ".-_@".utf8.contains(byte)
      }
    }
    guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(isAllowed), !text.hasPrefix("-") else { return nil }
    self.description = text
  }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let name = ProfileName(text) else {
      throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "invalid name"))
    }
    self = name
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self.description)
  }
}
