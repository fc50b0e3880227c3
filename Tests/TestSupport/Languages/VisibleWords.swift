/// Finds the words that users see or hear.
package enum VisibleWords {
  /// Returns the words in the text of a page and in the attributes that users see or hear.
  package static func html(_ html: String) -> [String] {
    var words: [String] = []
    for piece in html.split(separator: "<") {
      guard let end = piece.firstIndex(of: ">") else { continue }
      let tag = piece[..<end]
      // The script of the passkey buttons shows the texts of `data-failed` and `data-exists`.
      for name in ["title", "aria-label", "placeholder", "alt", "data-failed", "data-exists"] {
        if let value = tag.split(separator: " \(name)=\"").dropFirst().first?.prefix(while: { $0 != "\"" }) {
          words += Self.words(value)
        }
      }
      if !tag.hasPrefix("script"), !tag.hasPrefix("style") { words += Self.words(piece[piece.index(after: end)...]) }
    }
    return words
  }

  /// Returns the words of a plain text.
  package static func text(_ text: some StringProtocol) -> [String] {
    // U+0301 is the accent of `PseudoLocale`, and part of its words.
    text.unicodeScalars.split { !$0.properties.isAlphabetic && $0 != "\u{301}" }.map { String(String.UnicodeScalarView($0)) }
  }

  private static func words(_ text: Substring) -> [String] {
    var text = String(text)
    for entity in ["&nbsp;", "&lt;", "&gt;", "&quot;", "&amp;", "&#39;", "&#123;", "&#125;", "&#91;", "&#93;"] {
      text = text.replacing(entity, with: " ")
    }
    return Self.text(text)
  }
}
