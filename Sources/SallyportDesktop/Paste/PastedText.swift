import SallyportProtocol

/// What a pasted line contains. Whether the `state` parameter of a URL is that of the sign-in is checked
/// later.
enum PastedText: Equatable {
  /// The redirect URI with a query.
  case url(String)
  case rejected(PasteRejection)
  /// An empty line.
  case nothing
  /// The end of the input.
  case end

  static func classify(_ line: LineReader.Line, _ expectedURI: RedirectURI) -> PastedText {
    switch line {
    case .end: return .end
    case .tooLong: return .rejected(.tooLong)
    case .text(let text):
      let trimmed = self.trimmed(text)
      if trimmed.isEmpty { return .nothing }
      let base = expectedURI.value.prefix { $0 != "?" }
      // Browsers add the path `/` to a URL without a path.
      let bases = expectedURI.components.path.isEmpty ? ["\(base)?", "\(base)/?"] : ["\(base)?"]
      // Browsers hide the scheme in the address bar, and some omit it when the address is copied.
      for prefix in ["", "http://", "https://"] where bases.contains(where: (prefix + trimmed).hasPrefix) {
        return .url(prefix + trimmed)
      }
      return .rejected(.otherAddress)
    }
  }

  /// Removes surrounding whitespace, quotes, and angle brackets, and the markers that a terminal adds around pasted
  /// text (bracketed paste).
  private static func trimmed(_ text: String) -> String {
    var rest = text[...]
    for mark in ["\u{1B}[200~", "\u{1B}[201~"] {
      rest = rest.split(separator: mark, omittingEmptySubsequences: false).joined()[...]
    }
    let isAround = { (character: Character) in character.isWhitespace || "'\"<>".contains(character) }
    rest = rest.drop(while: isAround)
    while rest.last.map(isAround) == true { rest.removeLast() }
    return String(rest)
  }
}
