/// Splits a command line into words at spaces, tabs, and line feeds.
///
/// Quotes and backslashes work as in a POSIX shell, except that a backslash in double quotes escapes only `"` and `\`,
/// and that a backslash before a line feed does not join two lines. No other shell syntax is supported.
package enum CommandWords {
  /// A quote is not closed, or a backslash is the last character.
  package struct UnbalancedQuotes: Error {}

  private enum Quote {
    case none, single, double
  }

  /// Returns the words of a command line.
  package static func split(_ text: String) throws(UnbalancedQuotes) -> [String] {
    var words: [String] = []
    var word: String?
    var quote = Quote.none
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (quote, scalar) {
      case (.none, " "), (.none, "\t"), (.none, "\n"):
        if let word { words.append(word) }
        word = nil
      case (.none, "'"):
        (quote, word) = (.single, word ?? "")
      case (.none, "\""):
        (quote, word) = (.double, word ?? "")
      case (.single, "'"), (.double, "\""):
        quote = .none
      case (.none, "\\"):
        guard let next = rest.popFirst() else { throw UnbalancedQuotes() }
        word = (word ?? "") + String(next)
      case (.double, "\\") where rest.first == "\"" || rest.first == "\\":
        if let next = rest.popFirst() { word = (word ?? "") + String(next) }
      default:
        word = (word ?? "") + String(scalar)
      }
    }
    guard quote == .none else { throw UnbalancedQuotes() }
    if let word { words.append(word) }
    return words
  }
}
