/// A text with arguments, in a subset of ICU's MessageFormat syntax: `{name}`, and
/// `{count, plural, =0 {…} one {…} other {… # …}}`.
///
/// In a plural, `#` stands for the number. As in ICU, an apostrophe before a brace (and in a plural, before `#`) begins
/// quoted text, which ends at the next single apostrophe. Two apostrophes stand for one, even in quoted text. Any other
/// apostrophe stands for itself.
package struct Message: Sendable, Equatable {
  /// The value of an argument.
  package enum Argument: Sendable, Equatable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    case text(String)
    /// A whole number that is not negative.
    case number(Int)

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
  }

  package indirect enum Piece: Sendable, Equatable {
    case text(String)
    /// The value of the argument with this name.
    case argument(String)
    /// A text that depends on a number, which is the value of the argument with this name. A text for exactly this
    /// number takes precedence over the text for the number's category.
    case plural(String, exact: [Int: [Piece]], categories: [PluralCategory: [Piece]])
    /// `#`: the number of the innermost plural that contains this piece.
    case number
  }

  package let pieces: [Piece]

  /// Parses a message.
  package init(_ text: String) throws(MessageError) {
    var parser = MessageParser(text)
    self.pieces = try parser.message()
  }

  /// The names of the arguments.
  package var arguments: Set<String> { Self.arguments(of: self.pieces) }

  /// The categories of each plural; empty if the message has no plural.
  package var plurals: [Set<PluralCategory>] { Self.plurals(of: self.pieces) }

  /// Whether the text depends on a number. A page's template cannot contain such a message, because templates are
  /// compiled with their texts, before the number is known.
  package var hasPlural: Bool { !self.plurals.isEmpty }

  /// Replaces the arguments.
  /// - Parameters:
  ///   - arguments: A value for each name. An argument without a value, and a plural whose value is not a number,
  ///     become the empty text.
  ///   - encodeText: Encodes the message's own text, for example for HTML.
  ///   - encodeValue: Encodes a value.
  package func formatted(
    _ arguments: [String: Argument], in language: Language, encodeText: (String) -> String = { $0 },
    encodeValue: (String) -> String = { $0 }
  ) -> String {
    var result = ""
    Self.append(self.pieces, to: &result, arguments, language, encodeText, encodeValue, number: 0)
    return result
  }

  private static func append(
    _ pieces: [Piece], to result: inout String, _ arguments: [String: Argument], _ language: Language,
    _ encodeText: (String) -> String, _ encodeValue: (String) -> String, number: Int
  ) {
    for piece in pieces {
      switch piece {
      case .text(let text): result += encodeText(text)
      case .number: result += encodeValue("\(number)")
      case .argument(let name):
        switch arguments[name] {
        case .text(let value): result += encodeValue(value)
        case .number(let value): result += encodeValue("\(value)")
        case nil: break
        }
      case .plural(let name, let exact, let categories):
        guard case .number(let number) = arguments[name] else { continue }
        let pieces = exact[number] ?? categories[language.pluralCategory(of: number)] ?? categories[.other] ?? []
        Self.append(pieces, to: &result, arguments, language, encodeText, encodeValue, number: number)
      }
    }
  }

  private static func arguments(of pieces: [Piece]) -> Set<String> {
    pieces.reduce(into: []) { names, piece in
      switch piece {
      case .text, .number: break
      case .argument(let name): names.insert(name)
      case .plural(let name, let exact, let categories):
        names.insert(name)
        for pieces in Array(exact.values) + Array(categories.values) { names.formUnion(self.arguments(of: pieces)) }
      }
    }
  }

  private static func plurals(of pieces: [Piece]) -> [Set<PluralCategory>] {
    pieces.flatMap { piece -> [Set<PluralCategory>] in
      guard case .plural(_, let exact, let categories) = piece else { return [] }
      return [Set(categories.keys)] + (Array(exact.values) + Array(categories.values)).flatMap { self.plurals(of: $0) }
    }
  }
}

/// Why a text is not a message.
package enum MessageError: Error, Equatable, Sendable {
  /// A brace is not closed, or not opened.
  case unbalancedBraces
  /// A quotation that begins with an apostrophe has no end.
  case unclosedQuotation
  /// The name of an argument is not a letter followed by letters, digits, and hyphens, or neither a closing brace nor a
  /// comma follows the name.
  case invalidName(String)
  /// The format of the argument with this name is not `plural`, or a part of the plural is invalid.
  case invalidPlural(String)
  /// Plurals are nested too deeply.
  case tooDeep

  package var description: String {
    switch self {
    case .unbalancedBraces: "a brace has no counterpart"
    case .unclosedQuotation: "a quotation that begins with an apostrophe has no end"
    case .invalidName(let name): "\"\(name)\" is not a valid argument name, or is not followed by \"}\" or \",\""
    case .invalidPlural(let name): "the plural of the argument \"\(name)\" is invalid"
    case .tooDeep: "the message contains plurals in plurals in plurals"
    }
  }
}
