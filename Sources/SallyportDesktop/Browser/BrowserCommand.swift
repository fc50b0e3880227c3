/// A program and its arguments, to which a URL is added as one argument. No shell is ever involved (rule C-25).
struct BrowserCommand: Sendable, Equatable {
  /// The program, a name on `$PATH` or a path, and its arguments.
  let words: [String]

  /// Reads one command, split into words as a shell would: at blanks, with single and double quotes and backslashes.
  ///
  /// Nothing is expanded: no variable, no wildcard, no command substitution.
  init(_ text: String) throws(BrowserCommandError) {
    self.words = try CommandWords.split(text)
    guard self.words.first?.isEmpty == false else { throw .empty }
  }

  init(program: String) {
    self.words = [program]
  }

  var program: String { self.words.first ?? "" }

  /// The argument vector for opening `url`, which becomes the last argument.
  func arguments(opening url: String) -> [String] {
    self.words + [url]
  }

  /// As the convention for `$BROWSER` has it: each `%s` becomes the URL and each `%%` a percent sign; the URL is the last argument
  /// where there is no `%s`. A `&` at the end, which asks for the background, is where every browser of ours runs.
  func argumentsByConvention(opening url: String) -> [String] {
    var words = self.words
    if words.count > 1, words.last == "&" { words.removeLast() }
    let expanded = words.map { Self.expand($0, url: url) }
    return expanded.map(\.text) + (expanded.contains { $0.usesURL } ? [] : [url])
  }

  /// Reads the template once, so that a percent sign in the URL is never read as part of it.
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

/// Why a text is no browser command.
public enum BrowserCommandError: Error, Equatable, Sendable {
  case empty
  /// A quote or a backslash without its end.
  case unbalancedQuotes
}
