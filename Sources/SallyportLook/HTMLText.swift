/// Text from outside as markup.
package enum HTMLText {
  /// Escapes for element content and quoted attributes, one Unicode scalar at a time.
  ///
  /// By `Character`, a quote that a combining mark follows would be another character and stay as it is; a browser sees the bare
  /// quote and ends the attribute there.
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
