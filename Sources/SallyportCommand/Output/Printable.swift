/// Makes untrusted text safe to print to a terminal.
enum Printable {
  /// Returns the text without control characters, invisible formatting characters, and Unicode's line and paragraph
  /// separators.
  /// - Parameter limit: The maximum number of Unicode scalars. Longer text is cut.
  static func text(_ text: String, limit: Int = 256) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(limit).filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }
}
