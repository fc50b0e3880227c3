/// Text that users and browsers choose, in the form in which it is stored.
enum StorableText {
  /// Returns the text without control characters or surrounding white space, cut after the last Unicode scalar that
  /// fits into `maximumBytes` bytes of UTF-8; nil if nothing remains.
  static func clean(_ text: String, maximumBytes: Int) -> String? {
    var cleaned = String.UnicodeScalarView()
    var bytes = 0
    for scalar in text.unicodeScalars.drop(while: { self.isControl($0) || $0.properties.isWhitespace })
    where !self.isControl(scalar) {
      bytes += UTF8.width(scalar)
      guard bytes <= maximumBytes else { break }
      cleaned.append(scalar)
    }
    let result = self.trimmed(String(cleaned))
    return result.isEmpty ? nil : result
  }

  /// Returns the text without surrounding white space.
  static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }

  /// Whether a scalar is a control character, or ends a line or paragraph.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
