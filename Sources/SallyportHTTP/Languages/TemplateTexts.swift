import SallyportLanguages
import SallyportLook

/// Replaces the tokens of a template with texts in one language, before the template is compiled.
///
/// A token is `[[key]]`, or `[[key name=markup | other=markup]]` for a message with arguments. The text is escaped for
/// HTML. The markup, which replaces the argument, can contain Mustache tags, elements, and tokens. `[[@language]]` and
/// `[[@direction]]` are the values of the attributes `lang` and `dir`.
struct TemplateTexts {
  let texts: PageTexts
  /// The keys that the tokens have named.
  private(set) var usedKeys: Set<String> = []

  init(_ texts: PageTexts) {
    self.texts = texts
  }

  mutating func replaceTokens(in source: some StringProtocol) throws(TemplateTextError) -> String {
    var (result, rest) = ("", Substring(source))
    while let open = rest.firstRange(of: "[[") {
      result += rest[..<open.lowerBound]
      rest = rest[open.upperBound...]
      guard let end = Self.end(of: rest) else { throw .unclosedToken(String(rest.prefix(40))) }
      result += try self.text(for: rest[..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  /// Finds the end of a token, which can contain other tokens. Returns nil if the end is missing.
  private static func end(of text: Substring) -> Range<Substring.Index>? {
    var (rest, depth) = (text, 1)
    while let close = rest.firstRange(of: "]]") {
      if let open = rest.firstRange(of: "[["), open.lowerBound < close.lowerBound {
        depth += 1
        rest = rest[open.upperBound...]
      } else {
        depth -= 1
        if depth == 0 { return close }
        rest = rest[close.upperBound...]
      }
    }
    return nil
  }

  /// Returns the text for a token without its outer brackets.
  private mutating func text(for token: Substring) throws(TemplateTextError) -> String {
    let key = String(token.prefix { !$0.isWhitespace })
    switch key {
    case "@language": return self.texts.language.tag
    case "@direction": return self.texts.language.direction.rawValue
    default: break
    }
    guard let message = self.texts.message(key) else { throw .unknownKey(key) }
    // The form of a plural depends on a number that is not known before the page is rendered.
    guard !message.hasPlural else { throw .plural(key) }
    self.usedKeys.insert(key)
    var arguments: [String: Message.Argument] = [:]
    for part in Self.parts(of: token.dropFirst(key.count)) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { throw .malformedArgument(key: key, String(part)) }
      let name = pair[0].filter { !$0.isWhitespace }
      guard message.arguments.contains(name), arguments[name] == nil else { throw .unusedArgument(key: key, name) }
      arguments[name] = .text(try self.replaceTokens(in: pair[1]))
    }
    for name in message.arguments.sorted() where arguments[name] == nil { throw .missingArgument(key: key, name) }
    return message.formatted(arguments, in: self.texts.language, encodeText: Self.escape)
  }

  /// Splits the arguments of a token at ` | `, but not inside tokens that the arguments contain.
  private static func parts(of text: Substring) -> [Substring] {
    var (parts, start, rest, depth) = ([Substring](), text.startIndex, text, 0)
    while !rest.isEmpty {
      if rest.hasPrefix("[[") || rest.hasPrefix("]]") {
        depth += rest.hasPrefix("[[") ? 1 : -1
        rest = rest.dropFirst(2)
      } else if depth == 0, rest.hasPrefix(" | ") {
        parts.append(text[start..<rest.startIndex])
        rest = rest.dropFirst(3)
        start = rest.startIndex
      } else {
        rest = rest.dropFirst()
      }
    }
    let last = text[start...]
    return last.allSatisfy(\.isWhitespace) ? parts : parts + [last]
  }

  /// Escapes text for HTML, and braces and brackets too, so that no text can be a Mustache tag or a token.
  private static func escape(_ text: String) -> String {
    HTMLText.escape(text).replacing("{", with: "&#123;").replacing("}", with: "&#125;")
      .replacing("[", with: "&#91;").replacing("]", with: "&#93;")
  }
}

/// Why the tokens of a template cannot be replaced.
enum TemplateTextError: Error, Equatable {
  case unclosedToken(String)
  case unknownKey(String)
  /// The message has a plural, so only code can format it.
  case plural(String)
  case malformedArgument(key: String, String)
  case unusedArgument(key: String, String)
  case missingArgument(key: String, String)

  var description: String {
    switch self {
    case .unclosedToken(let start): "the token \"[[\(start)…\" has no end"
    case .unknownKey(let key): "no catalog has the key \"\(key)\""
    case .plural(let key): "the message \"\(key)\" has a plural, so a template cannot contain it"
    case .malformedArgument(let key, let text): "in the token \"\(key)\", \"\(text)\" must be a name, \"=\", and markup"
    case .unusedArgument(let key, let name): "the message \"\(key)\" has no argument \"\(name)\", or the token repeats it"
    case .missingArgument(let key, let name): "the token \"\(key)\" has no value for the argument \"\(name)\""
    }
  }
}
