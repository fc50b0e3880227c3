/// The start tags of a page. If the page does not escape the angle brackets or quotes of a text, the text becomes tags
/// or attributes, as in a browser.
struct Markup {
  struct Element {
    let name: String
    let attributes: [String: String]
    /// The text up to the next tag.
    let text: String

    subscript(_ attribute: String) -> String? { self.attributes[attribute] }
  }

  let elements: [Element]

  init(_ html: String) {
    var elements: [Element] = []
    for piece in html.unicodeScalars.split(separator: "<").map(String.UnicodeScalarView.init) {
      guard let end = Self.endOfTag(piece) else { continue }
      let text = String(String.UnicodeScalarView(piece[piece.index(after: end)...]))
      let parts = Self.words(piece[..<end])
      guard let name = parts.first, !name.hasPrefix("/"), !name.hasPrefix("!") else { continue }
      let attributes = parts.dropFirst().map { word in
        let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(pair[0]), pair.count > 1 ? Self.unescaped(pair[1].trimming("\"")) : "")
      }
      elements.append(
        Element(
          name: name, attributes: Dictionary(attributes, uniquingKeysWith: { first, _ in first }), text: Self.unescaped(text)))
    }
    self.elements = elements
  }

  /// Returns the angle brackets and quotes of a page in order, without those that are escaped. This is much faster than
  /// parsing the page.
  static func skeleton(of html: String) -> [UInt8] {
    // < > " '
    html.utf8.filter { $0 == 0x3C || $0 == 0x3E || $0 == 0x22 || $0 == 0x27 }
  }

  func all(_ name: String) -> [Element] { self.elements.filter { $0.name == name } }
  func first(_ name: String) -> Element? { self.elements.first { $0.name == name } }
  func field(_ name: String) -> Element? { self.elements.first { $0["name"] == name } }

  private static func endOfTag(_ piece: String.UnicodeScalarView) -> String.Index? {
    var isQuoted = false
    return piece.indices.first { index in
      if piece[index] == "\"" { isQuoted.toggle() }
      return piece[index] == ">" && !isQuoted
    }
  }

  private static func words(_ tag: Substring.UnicodeScalarView) -> [String] {
    var isQuoted = false
    return tag.split { scalar in
      if scalar == "\"" { isQuoted.toggle() }
      return scalar.properties.isWhitespace && !isQuoted
    }.map { String(String.UnicodeScalarView($0)) }
  }

  private static func unescaped(_ text: String) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
    // Bytes and not characters are compared, because a combining mark may follow the semicolon of an entity.
    let bytes = entities.reduce(Array(text.utf8)) { $0.replacing(Array($1.0.utf8), with: Array($1.1.utf8)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Substring {
  /// Returns the text without this scalar at its beginning and at its end. Scalars and not characters are compared,
  /// because a combining mark may follow a quote.
  fileprivate func trimming(_ scalar: Unicode.Scalar) -> String {
    var scalars = self.unicodeScalars
    if scalars.first == scalar { scalars.removeFirst() }
    if scalars.last == scalar { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }
}
