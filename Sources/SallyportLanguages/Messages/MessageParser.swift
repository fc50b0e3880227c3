/// Parses a message, one Unicode scalar at a time.
///
/// A message is text with arguments (`{name}`) and plurals (`{count, plural, one {# app} other {# apps}}`), a subset of
/// ICU MessageFormat. In a plural, `#` stands for the number. Apostrophes quote these characters (`'{'`).
struct MessageParser {
  private var scalars: Substring.UnicodeScalarView
  /// How many plurals can be nested: a plural, and plurals in its texts.
  private static var maximumDepth: Int { 2 }

  init(_ text: String) {
    self.scalars = text[...].unicodeScalars
  }

  mutating func message() throws(MessageError) -> [Message.Piece] {
    let pieces = try self.pieces(depth: 0)
    guard self.scalars.isEmpty else { throw .unbalancedBraces }
    return pieces
  }

  /// Parses up to a closing brace or the end.
  /// - Parameter depth: The number of plurals around the text.
  private mutating func pieces(depth: Int) throws(MessageError) -> [Message.Piece] {
    var pieces: [Message.Piece] = []
    var text = ""
    while let scalar = self.scalars.first, scalar != "}" {
      switch scalar {
      case "{":
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        self.scalars.removeFirst()
        pieces.append(try self.argument(depth: depth))
      case "#" where depth > 0:
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        self.scalars.removeFirst()
        pieces.append(.number)
      case "'": text += try self.apostrophe(depth: depth)
      default:
        text.unicodeScalars.append(scalar)
        self.scalars.removeFirst()
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
    return pieces
  }

  /// Parses an apostrophe, with the quotation that it begins, if any. Two apostrophes stand for one.
  private mutating func apostrophe(depth: Int) throws(MessageError) -> String {
    self.scalars.removeFirst()
    guard let next = self.scalars.first else { return "'" }
    if next == "'" {
      self.scalars.removeFirst()
      return "'"
    }
    guard next == "{" || next == "}" || (next == "#" && depth > 0) else { return "'" }
    var quotation = ""
    while let scalar = self.scalars.popFirst() {
      guard scalar == "'" else {
        quotation.unicodeScalars.append(scalar)
        continue
      }
      guard self.scalars.first == "'" else { return quotation }
      self.scalars.removeFirst()
      quotation += "'"
    }
    throw .unclosedQuotation
  }

  /// Parses an argument after its opening brace.
  private mutating func argument(depth: Int) throws(MessageError) -> Message.Piece {
    let name = try self.name()
    self.skipSpaces()
    switch self.scalars.popFirst() {
    case "}": return .argument(name)
    case ",": return try self.plural(name, depth: depth)
    case nil: throw .unbalancedBraces
    default: throw .invalidName(name)
    }
  }

  private mutating func plural(_ name: String, depth: Int) throws(MessageError) -> Message.Piece {
    guard depth < Self.maximumDepth else { throw .tooDeep }
    guard self.word() == "plural" else { throw .invalidPlural(name) }
    self.skipSpaces()
    guard self.scalars.popFirst() == "," else { throw .invalidPlural(name) }
    var exact: [Int: [Message.Piece]] = [:]
    var categories: [PluralCategory: [Message.Piece]] = [:]
    while true {
      let selector = self.word()
      guard !selector.isEmpty else { break }
      self.skipSpaces()
      guard self.scalars.popFirst() == "{" else { throw .invalidPlural(name) }
      let pieces = try self.pieces(depth: depth + 1)
      guard self.scalars.popFirst() == "}" else { throw .unbalancedBraces }
      if selector.hasPrefix("="), let number = Int(selector.dropFirst()), number >= 0, exact[number] == nil {
        exact[number] = pieces
      } else if let category = PluralCategory(rawValue: selector), categories[category] == nil {
        categories[category] = pieces
      } else {
        throw .invalidPlural(name)
      }
    }
    guard let end = self.scalars.popFirst() else { throw .unbalancedBraces }
    guard end == "}", categories[.other] != nil else { throw .invalidPlural(name) }
    return .plural(name, exact: exact, categories: categories)
  }

  private mutating func name() throws(MessageError) -> String {
    let name = self.word()
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic, first.isASCII,
      name.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-") })
    else { throw .invalidName(name) }
    return name
  }

  /// Skips spaces, then reads up to the next space, comma, or brace.
  private mutating func word() -> String {
    self.skipSpaces()
    let word = self.scalars.prefix { !$0.properties.isWhitespace && $0 != "," && $0 != "{" && $0 != "}" }
    self.scalars.removeFirst(word.count)
    return String(word)
  }

  private mutating func skipSpaces() {
    while self.scalars.first?.properties.isWhitespace == true { self.scalars.removeFirst() }
  }
}
