package import SallyportLanguages

/// A test language that shows which texts come from a catalog: each letter has an accent, and brackets surround each
/// message.
package enum PseudoLocale {
  /// A combining acute accent.
  private static let accent: Unicode.Scalar = "\u{301}"

  /// Returns the catalog with an accent on each letter, and with brackets around each message.
  package static func catalog(_ catalog: Catalog) throws -> Catalog {
    try Catalog(messages: catalog.messages.mapValues { try Message("⟦\(Self.source($0.pieces))⟧") })
  }

  /// Returns the words without an accent, which do not come from a catalog.
  package static func wordsWithoutAccent(in words: [String]) -> [String] {
    words.filter { !$0.unicodeScalars.contains(Self.accent) }
  }

  /// Returns the source text of a message with these pieces, with an accent on each letter of its text.
  private static func source(_ pieces: [Message.Piece]) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text):
        // In MessageFormat, apostrophes enclose a brace that is text, and two apostrophes stand for one.
        text.unicodeScalars.map { $0.properties.isAlphabetic ? "\($0)\(Self.accent)" : "\($0)" }.joined()
          .replacing("'", with: "''").replacing("{", with: "'{'").replacing("}", with: "'}'")
      case .argument(let name): "{\(name)}"
      case .number: "#"
      case .plural(let name, let exact, let categories):
        "{\(name), plural,"
          + exact.sorted { $0.key < $1.key }.map { " =\($0.key) {\(Self.source($0.value))}" }.joined()
          + categories.sorted { $0.key.rawValue < $1.key.rawValue }.map { " \($0.key.rawValue) {\(Self.source($0.value))}" }
          .joined()
          + "}"
      }
    }
    .joined()
  }
}
