/// The tags of a page in their order, except for tags in comments and in elements such as `<script>` and `<template>`,
/// whose content browsers do not show as elements.
struct PageTags: Sequence, IteratorProtocol {
  struct Tag {
    /// The name in lowercase letters. The name of an end tag begins with a slash.
    let name: String
    /// The attributes, with their values as they are in the HTML.
    let attributes: [String: String]
    /// The text up to the end tag, for elements whose content is not searched for tags; otherwise empty.
    let content: Substring
  }

  /// Elements whose content is not searched for tags, because browsers do not show tags in it as elements.
  private static let opaqueElements: Set = ["script", "style", "textarea", "title", "template", "noscript"]
  private var rest: Substring

  init(_ html: String) {
    self.rest = html[...]
  }

  mutating func next() -> Tag? {
    while let start = self.rest.unicodeScalars.firstIndex(of: "<") {
      self.rest = self.rest[start...]
      self.dropScalar()
      if self.rest.hasPrefix("!--") {
        self.rest = self.rest.firstRange(of: "-->").map { self.rest[$0.upperBound...] } ?? ""
      } else if let first = self.rest.unicodeScalars.first, first == "/" || first.properties.isAlphabetic {
        return self.tag()
      }
    }
    return nil
  }

  private mutating func tag() -> Tag {
    let name = self.take { $0 != ">" && !$0.properties.isWhitespace }.lowercased()
    var attributes: [String: String] = [:]
    while true {
      _ = self.take { $0.properties.isWhitespace || $0 == "/" }
      guard let first = self.rest.unicodeScalars.first, first != ">" else { break }
      let (key, value) = self.attribute()
      // Browsers use the first of several attributes with the same name.
      if attributes[key] == nil { attributes[key] = value }
    }
    self.dropScalar()
    return Tag(name: name, attributes: attributes, content: Self.opaqueElements.contains(name) ? self.content(of: name) : "")
  }

  private mutating func attribute() -> (name: String, value: String) {
    let name = self.take { $0 != "=" && $0 != ">" && $0 != "/" && !$0.properties.isWhitespace }.lowercased()
    guard self.rest.unicodeScalars.first == "=" else { return (name, "") }
    self.dropScalar()
    guard let quote = self.rest.unicodeScalars.first, quote == "\"" || quote == "'" else {
      return (name, String(self.take { $0 != ">" && !$0.properties.isWhitespace }))
    }
    self.dropScalar()
    let value = String(self.take { $0 != quote })
    self.dropScalar()
    return (name, value)
  }

  /// Takes the text up to the end tag, whose name can be in uppercase letters.
  private mutating func content(of name: String) -> Substring {
    guard let endTag = try? Regex("</\(name)").ignoresCase(), let end = self.rest.firstRange(of: endTag) else {
      defer { self.rest = "" }
      return self.rest
    }
    defer { self.rest = self.rest[end.lowerBound...] }
    return self.rest[..<end.lowerBound]
  }

  /// Takes scalars and not characters, because a quote or an angle bracket and a combining mark after it are one
  /// character.
  private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> Substring {
    let taken = self.rest.unicodeScalars.prefix(while: condition)
    self.rest = self.rest[taken.endIndex...]
    return Substring(taken)
  }

  private mutating func dropScalar() {
    self.rest = Substring(self.rest.unicodeScalars.dropFirst())
  }
}
