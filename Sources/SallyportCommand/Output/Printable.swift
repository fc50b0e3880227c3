/// Makes untrusted text safe to print on a terminal.
enum Printable {
  /// Returns the text without control characters and invisible formatting characters, limited to 256 scalars.
  static func text(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(256).filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }
}
