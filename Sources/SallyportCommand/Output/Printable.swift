/// Text of a server's, made fit for a terminal.
enum Printable {
  /// Without controls and the invisible characters that turn or hide text, and no longer than a line.
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
