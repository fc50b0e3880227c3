import Mustache

/// HTML escaping, one Unicode scalar at a time.
///
/// Mustache's own escaping compares `Character`s: a quote that a combining mark follows is another character to it and stays as
/// it is, but a browser sees the bare quote and ends the attribute there.
struct ScalarEscaping: MustacheContentType {
  static let name = "SALLYPORT-HTML"
  /// Put before a template's text, since Mustache starts again with its own escaping in each template.
  static let pragma = "{{% CONTENT_TYPE: \(name)}}\n"

  func escapeText(_ text: String) -> String {
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
