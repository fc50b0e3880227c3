import SallyportLanguages

@testable import SallyportHTTP

/// Texts that show which parts of a page come from a catalog: each English letter has an accent, and brackets surround each
/// message.
enum PseudoLocale {
  static let opening: Unicode.Scalar = "⟦"
  static let closing: Unicode.Scalar = "⟧"

  static func texts() throws -> PageTexts {
    PageTexts(.english, Catalog(messages: try Self.catalog(PageCatalogs.catalog(.english)).messages), english: Catalog())
  }

  static func catalog(_ catalog: Catalog) throws -> Catalog {
    var result = Catalog()
    for (key, message) in catalog.messages { result.messages[key] = try Message(Self.pseudo(message)) }
    return result
  }

  private static func pseudo(_ message: Message) -> String {
    "⟦" + Self.source(message.pieces) + "⟧"
  }

  /// Returns the pieces as the source of a message, with accents on the letters of its text.
  private static func source(_ pieces: [Message.Piece]) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text):
        // A combining acute accent after each letter.
        text.unicodeScalars.map { $0.properties.isAlphabetic ? "\($0)\u{301}" : "\($0)" }.joined()
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
