import SallyportSystem

/// A program and its arguments. The URL to open is added as the last argument or, by the convention for `$BROWSER`,
/// replaces `%s`. The URL is never split into words, and no shell is involved (rule C-25).
struct BrowserCommand: Sendable, Equatable {
  /// The program, as a name on `$PATH` or a path, followed by its arguments.
  let words: [String]

  /// Splits a command into words as a shell does: at whitespace, with single quotes, double quotes, and backslashes.
  ///
  /// Variables, wildcards, and command substitutions are not expanded.
  init(_ text: String) throws(BrowserCommandError) {
    do throws(CommandWords.UnbalancedQuotes) { self.words = try CommandWords.split(text) } catch { throw .unbalancedQuotes }
    guard self.words.first?.isEmpty == false else { throw .empty }
  }

  init(program: String) {
    self.words = [program]
  }

  var program: String { self.words.first ?? "" }

  /// The argument vector that opens `url`. The URL is the last argument.
  func arguments(opening url: String) -> [String] {
    self.words + [url]
  }

  /// The argument vector that opens `url`, according to the convention for `$BROWSER`.
  ///
  /// Each `%s` is replaced with the URL, and each `%%` with a percent sign. Without `%s`, the URL is the last argument.
  /// A final `&` is removed, because the browser always runs in the background.
  func argumentsByConvention(opening url: String) -> [String] {
    var words = self.words
    if words.count > 1, words.last == "&" { words.removeLast() }
    let expanded = words.map { Self.expand($0, url: url) }
    return expanded.map(\.text) + (expanded.contains { $0.usesURL } ? [] : [url])
  }

  /// Replaces the placeholders in a single pass, so that percent signs in the URL are not interpreted.
  private static func expand(_ word: String, url: String) -> (text: String, usesURL: Bool) {
    var result = ""
    var usesURL = false
    var rest = Substring(word)
    while let character = rest.popFirst() {
      switch (character, rest.first) {
      case ("%", "s"):
        result += url
        usesURL = true
        rest.removeFirst()
      case ("%", "%"):
        result += "%"
        rest.removeFirst()
      default:
        result.append(character)
      }
    }
    return (result, usesURL)
  }
}

/// Why a text is not a browser command.
public enum BrowserCommandError: Error, Equatable, Sendable {
  /// The command names no program.
  case empty
  /// A quotation mark is not closed, or the text ends with a backslash.
  case unbalancedQuotes
}
