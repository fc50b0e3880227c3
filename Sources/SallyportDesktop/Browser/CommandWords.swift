/// Splits a command line into words, using the quotes and backslashes of a POSIX shell but no other shell syntax.
package enum CommandWords {
  private enum Quote {
    case none, single, double
  }

  package static func split(_ text: String) throws(BrowserCommandError) -> [String] {
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
        guard let next = rest.popFirst() else { throw .unbalancedQuotes }
        word = (word ?? "") + String(next)
      case (.double, "\\") where rest.first == "\"" || rest.first == "\\":
        if let next = rest.popFirst() { word = (word ?? "") + String(next) }
      default:
        word = (word ?? "") + String(scalar)
      }
    }
    guard quote == .none else { throw .unbalancedQuotes }
    if let word { words.append(word) }
    return words
  }
}
