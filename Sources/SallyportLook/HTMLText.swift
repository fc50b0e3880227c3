/// Escapes untrusted text for HTML.
package enum HTMLText {
  /// Escapes text for element content and quoted attributes, one Unicode scalar at a time.
  ///
  /// Comparing by `Character` would miss a quote that is followed by a combining mark, which a browser still treats as
  /// the end of an attribute.
  package static func escape(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
